import { type Command, Option } from 'commander';
import type { Context } from '../program/context.ts';
import type { InitOptions } from '../scaffold/init-project.ts';

/** Adds `init`, which creates a project. */
export function addInit(program: Command, context: Context): void {
  program
    .command('init')
    .description('make a project; files that are there stay as they are')
    .argument('[DIR]', 'folder of the project', '.')
    .option('--domain <DOMAIN>', 'ending of the API groups: example.com')
    .option('--name <NAME>', 'name of the project (otherwise that of the folder)')
    .addOption(
      new Option('--template <NAME>', 'minimal: with a first kind; empty: without')
        .choices(['minimal', 'empty'])
        .default('minimal'),
    )
    .option('-y, --yes', 'ask nothing')
    .action(async (directory: string, options: InitOptions) => {
      await (await import('../scaffold/init-project.ts')).init(context, { ...options, directory });
    });
}
