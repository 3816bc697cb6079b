import type { Command } from 'commander';
import type { ClusterName } from '../../cluster/state-folder.ts';
import type { Context } from '../../program/context.ts';
import { nameOption } from '../options/embedded-cluster.ts';

/** Adds `cluster status`, which prints the status of this folder's cluster. */
export function addClusterStatus(cluster: Command, context: Context): void {
  cluster
    .command('status')
    .description('show the status of the cluster of this folder')
    .addOption(nameOption())
    .action(async (options: ClusterName) => (await import('../../cluster/status.ts')).status(context, options));
}
