import type { Command } from 'commander';
import type { Context } from '../program/context.ts';
import type { RbacOptions } from '../rbac/compare-rbac.ts';

/** Adds `rbac`, which compares an operator's granted permissions with the permissions that it uses. */
export function addRbac(program: Command, context: Context): void {
  program
    .command('rbac')
    .description(
      'run the operator with the samples, and compare the granted permissions with those that the operator uses',
    )
    .option('--fix', 'add missing permissions to src/main.ts as @rbac tags, and rerun until none are missing')
    .option('--dry-run', 'with --fix: only show the changes')
    .action(async (options: RbacOptions) => (await import('../rbac/compare-rbac.ts')).compareRbac(context, options));
}
