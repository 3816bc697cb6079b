import type { Command } from 'commander';
import type { Context } from '../program/context.ts';
import type { RbacOptions } from '../rbac/compare-rbac.ts';

/** Adds `rbac`, which compares the permissions of an operator with those it uses. */
export function addRbac(program: Command, context: Context): void {
  program
    .command('rbac')
    .description('run the operator on its samples; compare what its roles grant with what it used')
    .option('--fix', 'write what is missing into src/main.ts, as @rbac tags, and run again until nothing is')
    .option('--dry-run', 'with --fix: only show what would be written')
    .action(async (options: RbacOptions) => (await import('../rbac/compare-rbac.ts')).compareRbac(context, options));
}
