import type { Command } from 'commander';
import type { UninstallOptions } from '../deploy/uninstall.ts';
import type { Context } from '../program/context.ts';
import { addTargetCluster } from './options/target-cluster.ts';

/** Adds `uninstall`, which removes the kinds of a project and their objects from a cluster. */
export function addUninstall(program: Command, context: Context): void {
  addTargetCluster(program.command('uninstall'))
    .description("delete the objects of this project's kinds, then the kinds")
    .option('-y, --yes', "let objects go without the operator's clean-up where it no longer runs")
    .option('--force', 'remove all of their finalizers, including those of others')
    .action(async (options: UninstallOptions) => (await import('../deploy/uninstall.ts')).uninstall(context, options));
}
