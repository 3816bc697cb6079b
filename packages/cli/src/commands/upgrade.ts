import type { Command } from 'commander';
import type { Context } from '../program/context.ts';
import type { UpgradeOptions } from '../upgrade/upgrade.ts';

/** Adds `upgrade`, which upgrades a project to the version of this program. */
export function addUpgrade(program: Command, context: Context): void {
  program
    .command('upgrade')
    .description('make what is generated anew with this version; name packages that are behind')
    .option('--apply', 'change their versions in package.json')
    .option('--allow-breaking', 'write CRDs that break what was released')
    .action(async (options: UpgradeOptions) => (await import('../upgrade/upgrade.ts')).upgrade(context, options));
}
