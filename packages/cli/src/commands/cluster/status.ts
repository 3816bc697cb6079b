import type { Command } from 'commander';
import type { Context } from '../../program/context.ts';

/** Adds `cluster status`, which prints the status of the cluster of this folder. */
export function addClusterStatus(cluster: Command, context: Context): void {
  cluster
    .command('status')
    .description('show the status of the cluster of this folder')
    .action(async () => (await import('../../cluster/status.ts')).status(context));
}
