import { type Command, Option } from 'commander';
import type { Context } from '../program/context.ts';
import type { InitOptions } from '../scaffold/init-project.ts';

/** Adds `init`, which creates a project. */
export function addInit(program: Command, context: Context): void {
  program
    .command('init')
    .description('create a project; existing files are not changed')
    .argument('[DIR]', 'project folder', '.')
    .option('--domain <DOMAIN>', 'domain of the API groups, such as example.com')
    .option('--name <NAME>', 'name of the project (default: the name of the folder)')
    .addOption(
      new Option('--template <NAME>', 'minimal: with a sample kind; empty: without kinds')
        .choices(['minimal', 'empty'])
        .default('minimal'),
    )
    .option('-y, --yes', 'accept the defaults without prompting')
    .action(async (directory: string, options: InitOptions) => {
      await (await import('../scaffold/init-project.ts')).init(context, { ...options, directory });
    });
}
