import type { Command } from 'commander';
import type { Context } from '../../program/context.ts';

/** Adds `cluster reset`, which removes the state of the cluster of this folder. */
export function addClusterReset(cluster: Command, context: Context): void {
  cluster
    .command('reset')
    .description('stop the cluster of this folder and remove its state: certificates, port, logs')
    .action(async () => (await import('../../cluster/down.ts')).reset(context));
}
