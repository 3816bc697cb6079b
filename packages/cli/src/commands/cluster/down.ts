import type { Command } from 'commander';
import type { ClusterName } from '../../cluster/state-folder.ts';
import type { Context } from '../../program/context.ts';
import { nameOption } from '../options/embedded-cluster.ts';

/** Adds `cluster down`, which stops the cluster of this folder. */
export function addClusterDown(cluster: Command, context: Context): void {
  cluster
    .command('down')
    .description('stop the cluster of this folder')
    .addOption(nameOption())
    .action(async (options: ClusterName) => (await import('../../cluster/down.ts')).down(context, options));
}
