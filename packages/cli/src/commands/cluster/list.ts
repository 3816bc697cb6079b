import type { Command } from 'commander';
import type { Context } from '../../program/context.ts';

/** Adds `cluster list`, which prints the clusters of this folder. */
export function addClusterList(cluster: Command, context: Context): void {
  cluster
    .command('list')
    .description('list the clusters of this folder')
    .action(async () => (await import('../../cluster/list.ts')).list(context));
}
