import type { Command } from 'commander';
import type { UndeployOptions } from '../deploy/undeploy.ts';
import type { Context } from '../program/context.ts';
import { addTargetCluster } from './options/target-cluster.ts';

/** Adds `undeploy`, which removes a project's operator from a cluster. */
export function addUndeploy(program: Command, context: Context): void {
  addTargetCluster(program.command('undeploy'))
    .description('remove the operator, but keep the kinds and their objects')
    .option(
      '-y, --yes',
      'if the operator is not running, delete the objects in its namespace without running its cleanup',
    )
    .action(async (options: UndeployOptions) => (await import('../deploy/undeploy.ts')).undeploy(context, options));
}
