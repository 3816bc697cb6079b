import type { Command } from 'commander';
import type { Context } from '../../program/context.ts';

/** Adds `cluster down`, which stops the cluster of this folder. */
export function addClusterDown(cluster: Command, context: Context): void {
  cluster
    .command('down')
    .description('stop the cluster of this folder')
    .action(async () => (await import('../../cluster/down.ts')).down(context));
}
