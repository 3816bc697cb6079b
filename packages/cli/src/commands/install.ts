import type { Command } from 'commander';
import type { Context } from '../program/context.ts';
import type { ClusterFlags } from '../target/connect.ts';
import { addTargetCluster } from './options/target-cluster.ts';

/** Adds `install`, which installs the kinds of a project in a cluster. */
export function addInstall(program: Command, context: Context): void {
  addTargetCluster(program.command('install'))
    .description('install the kinds of this project')
    .action(async (options: ClusterFlags) => (await import('../deploy/install.ts')).install(context, options));
}
