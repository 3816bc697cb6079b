import type { Command } from 'commander';
import type { Context } from '../program/context.ts';
import type { RunOptions } from '../run/run-file.ts';

/** Adds `run FILE`, which runs one TypeScript file as an operator. */
export function addRun(program: Command, context: Context): void {
  program
    .command('run')
    .description('run a TypeScript file as an operator, in the cluster of this folder or of KUBECONFIG')
    .argument('<FILE>', 'file that calls runOperator')
    .argument('[ARGS...]', 'arguments of the operator, after --')
    .option('--full-stacks', 'show complete stack traces')
    .action(async (file: string, args: readonly string[], options: RunOptions) => {
      context.exitWith(await (await import('../run/run-file.ts')).runFile(context, { ...options, file, args }));
    });
}
