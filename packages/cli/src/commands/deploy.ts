import { type Command, InvalidArgumentError } from 'commander';
import type { DeployOptions } from '../deploy/deploy.ts';
import type { Context } from '../program/context.ts';
import { imageReference } from './options/image.ts';
import { addTargetCluster } from './options/target-cluster.ts';

/** Adds `deploy`, which deploys a project's kinds and operator to a cluster. */
export function addDeploy(program: Command, context: Context): void {
  addTargetCluster(program.command('deploy'))
    .description('deploy the kinds and the operator, and wait until the operator is available')
    .option('--image <IMAGE>', 'operator image', imageReference)
    .option('--timeout <SECONDS>', 'time to wait until the operator is available', seconds, 120)
    .action(async (options: DeployOptions) => (await import('../deploy/deploy.ts')).deploy(context, options));
}

function seconds(text: string): number {
  if (/^\d{1,5}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It must be a number of seconds.');
}
