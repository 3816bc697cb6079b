import type { Command } from 'commander';
import type { ClusterName } from '../../cluster/state-folder.ts';
import type { Context } from '../../program/context.ts';
import { nameOption } from '../options/embedded-cluster.ts';

/** Adds `cluster delete`, which removes the state of a cluster of this folder. */
export function addClusterDelete(cluster: Command, context: Context): void {
  cluster
    .command('delete')
    .description('stop the cluster of this folder and remove its state: certificates, port, logs')
    .addOption(nameOption())
    .action(async (options: ClusterName) => (await import('../../cluster/down.ts')).deleteCluster(context, options));
}
