import type { Command } from 'commander';
import { explain } from '../explain/explain.ts';
import type { Context } from '../program/context.ts';

/** Adds `explain CODE`, which describes an error code with an example, its cause and its fix. Works offline. */
export function addExplain(program: Command, context: Context): void {
  program
    .command('explain')
    .description('explain an error code; without an argument, list all codes')
    .argument('[CODE]', 'an error code, such as KW7301')
    .action((code: string | undefined) => explain(context, code));
}
