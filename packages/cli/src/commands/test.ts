import type { Command } from 'commander';
import type { Context } from '../program/context.ts';

/** Adds `test`, which runs the tests of a project. */
export function addTest(program: Command, context: Context): void {
  program
    .command('test')
    .description("run the project's tests once")
    .argument('[ARGS...]', 'arguments of the test runner, after --')
    .action(async (args: readonly string[]) => {
      context.exitWith(await (await import('../test/run-tests.ts')).runTests(context, args));
    });
}
