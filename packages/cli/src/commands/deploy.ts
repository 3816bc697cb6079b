import { type Command, InvalidArgumentError } from 'commander';
import type { DeployOptions } from '../deploy/deploy.ts';
import type { UninstallOptions } from '../deploy/install.ts';
import type { UndeployOptions } from '../deploy/undeploy.ts';
import type { Context } from '../program/context.ts';
import { imageReference } from './image-option.ts';

/**
 * Adds `install`, `uninstall`, `deploy` and `undeploy`, the commands that manage a project's kinds and operator in a cluster.
 */
export function addDeploy(program: Command, context: Context): void {
  const command = (name: string, description: string): Command =>
    program
      .command(name)
      .description(description)
      .option(
        '--kubeconfig <FILE>',
        'kubeconfig of the cluster (otherwise KUBECONFIG, then the cluster of this folder)',
      )
      .option('--context <NAME>', 'context in the kubeconfig');
  command('install', 'install the kinds of this project').action(async (options) => {
    await (await import('../deploy/install.ts')).install(context, options);
  });
  command('uninstall', "delete the objects of this project's kinds, then the kinds")
    .option('-y, --yes', "let objects go without the operator's clean-up where it no longer runs")
    .option('--force', 'remove all of their finalizers, including those of others')
    .action(async (options: UninstallOptions) => {
      await (await import('../deploy/install.ts')).uninstall(context, options);
    });
  command('deploy', 'deploy kinds and operator, and wait until it is available')
    .option('--image <IMAGE>', 'image of the operator', imageReference)
    .option('--timeout <SECONDS>', 'how long to wait', seconds, 120)
    .action(async (options: DeployOptions) => {
      await (await import('../deploy/deploy.ts')).deploy(context, options);
    });
  command('undeploy', 'remove the operator; kinds and objects stay')
    .option('-y, --yes', "let objects in its namespace go without the operator's clean-up where it no longer runs")
    .action(async (options: UndeployOptions) => {
      await (await import('../deploy/undeploy.ts')).undeploy(context, options);
    });
}

function seconds(text: string): number {
  if (/^\d{1,5}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It is a number of seconds.');
}
