import type { Command } from 'commander';
import type { SnapshotOptions } from '../../cluster/snapshot.ts';
import type { Context } from '../../program/context.ts';

/** Adds `cluster restore`, for clusters that keep their objects in a folder. */
export function addClusterRestore(cluster: Command, context: Context): void {
  cluster
    .command('restore')
    .description('restore all objects of a stopped cluster from a snapshot')
    .argument('<FILE>', 'file written by kubewright cluster snapshot')
    .requiredOption('--data <DIR>', 'folder of the objects, as passed to cluster up --data')
    .action(async (file: string, options: SnapshotOptions) =>
      (await import('../../cluster/snapshot.ts')).restore(context, file, options),
    );
}
