import type { Command } from 'commander';
import type { KubeconfigOptions } from '../../cluster/status.ts';
import type { Context } from '../../program/context.ts';
import { nameOption } from '../options/embedded-cluster.ts';

/** Adds `cluster kubeconfig`, which prints the kubeconfig of this folder's cluster. */
export function addClusterKubeconfig(cluster: Command, context: Context): void {
  cluster
    .command('kubeconfig')
    .description('print the path of the kubeconfig: export KUBECONFIG="$(kubewright cluster kubeconfig)"')
    .addOption(nameOption())
    .option('--raw', 'print the kubeconfig itself')
    .action(async (options: KubeconfigOptions) => {
      (await import('../../cluster/status.ts')).kubeconfig(context, options);
    });
}
