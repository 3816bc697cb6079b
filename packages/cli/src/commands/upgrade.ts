import type { Command } from 'commander';
import type { Context } from '../program/context.ts';
import type { UpgradeOptions } from '../upgrade/upgrade.ts';

/** Adds `upgrade`, which upgrades a project to the version of this program. */
export function addUpgrade(program: Command, context: Context): void {
  program
    .command('upgrade')
    .description('regenerate files with this version, and list outdated packages')
    .option('--apply', 'also update the versions in package.json')
    .option('--allow-breaking', 'write CRDs even if they break the released version')
    .action(async (options: UpgradeOptions) => (await import('../upgrade/upgrade.ts')).upgrade(context, options));
}
