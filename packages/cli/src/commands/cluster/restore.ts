import type { Command } from 'commander';
import type { SnapshotOptions } from '../../cluster/snapshot.ts';
import type { Context } from '../../program/context.ts';

/** Adds `cluster restore`, for clusters that keep their objects in a folder. */
export function addClusterRestore(cluster: Command, context: Context): void {
  cluster
    .command('restore')
    .description('restore all objects of a stopped cluster from a snapshot')
    .argument('<FILE>', 'file written by kubewright cluster snapshot')
    .requiredOption('--data <DIR>', 'the folder that keeps the objects, as for cluster up')
    .action(async (file: string, options: SnapshotOptions) =>
      (await import('../../cluster/snapshot.ts')).restore(context, file, options),
    );
}
