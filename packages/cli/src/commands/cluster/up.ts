import type { Command } from 'commander';
import type { UpOptions } from '../../cluster/up.ts';
import type { Context } from '../../program/context.ts';
import { driverOption, nodeCount, portNumber } from '../options/embedded-cluster.ts';

/** Adds `cluster up`, which starts the cluster of this folder. */
export function addClusterUp(cluster: Command, context: Context): void {
  cluster
    .command('up')
    .description('start the embedded cluster of this folder; Ctrl-C stops it')
    .option('--background', 'come back once it runs; kubewright cluster down stops it')
    .option('--port <PORT>', 'port of the API server (otherwise a free one, kept from start to start)', portNumber)
    .option('--nodes <N>', 'how many nodes', nodeCount)
    .addOption(driverOption())
    .option('--kubeconfig <FILE>', 'write the kubeconfig to this file, too')
    .option('--allow-root-pods', 'let pods run as uid 0')
    .option('--allow-host-programs', 'let images be programs of this machine by their absolute paths')
    .action(async (options: UpOptions) => (await import('../../cluster/up.ts')).up(context, options));
}
