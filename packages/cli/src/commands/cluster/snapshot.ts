import type { Command } from 'commander';
import type { SnapshotOptions } from '../../cluster/snapshot.ts';
import type { Context } from '../../program/context.ts';

/** Adds `cluster snapshot`, for clusters that keep their objects in a folder. */
export function addClusterSnapshot(cluster: Command, context: Context): void {
  cluster
    .command('snapshot')
    .description('write all objects of a stopped cluster to a file')
    .argument('<FILE>', 'file to write')
    .requiredOption('--data <DIR>', 'folder of the objects, as passed to cluster up --data')
    .action(async (file: string, options: SnapshotOptions) =>
      (await import('../../cluster/snapshot.ts')).snapshot(context, file, options),
    );
}
