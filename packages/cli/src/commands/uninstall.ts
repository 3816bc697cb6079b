import type { Command } from 'commander';
import type { UninstallOptions } from '../deploy/uninstall.ts';
import type { Context } from '../program/context.ts';
import { addTargetCluster } from './options/target-cluster.ts';

/** Adds `uninstall`, which removes the kinds of a project and their objects from a cluster. */
export function addUninstall(program: Command, context: Context): void {
  addTargetCluster(program.command('uninstall'))
    .description("delete all objects of this project's kinds, then the kinds")
    .option('-y, --yes', 'if the operator is not running, delete the objects without running its cleanup')
    .option('--force', 'remove all finalizers, including those of other controllers')
    .action(async (options: UninstallOptions) => (await import('../deploy/uninstall.ts')).uninstall(context, options));
}
