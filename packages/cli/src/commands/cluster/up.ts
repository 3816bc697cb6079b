import type { Command } from 'commander';
import type { UpOptions } from '../../cluster/up.ts';
import type { Context } from '../../program/context.ts';
import { driverOption, nodeCount, portNumber } from '../options/embedded-cluster.ts';

/** Adds `cluster up`, which starts the cluster of this folder. */
export function addClusterUp(cluster: Command, context: Context): void {
  cluster
    .command('up')
    .description('start the embedded cluster of this folder; Ctrl-C stops it')
    .option('--background', 'return once the cluster runs; stop it with kubewright cluster down')
    .option('--port <PORT>', 'port of the API server (default: a free port, reused on later starts)', portNumber)
    .option('--nodes <N>', 'number of nodes', nodeCount)
    .addOption(driverOption())
    .option('--kubeconfig <FILE>', 'also write the kubeconfig to this file')
    .option('--allow-root-pods', 'allow pods to run as UID 0')
    .option('--allow-host-programs', 'allow absolute paths of local programs as images')
    .action(async (options: UpOptions) => (await import('../../cluster/up.ts')).up(context, options));
}
