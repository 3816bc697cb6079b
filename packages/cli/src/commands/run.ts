import type { Command } from 'commander';
import type { Context } from '../program/context.ts';
import type { RunOptions } from '../run/run-file.ts';

/** Adds `run FILE`, which runs one TypeScript file as an operator. */
export function addRun(program: Command, context: Context): void {
  program
    .command('run')
    .description('run one TypeScript file as an operator, in the cluster of this folder or that of KUBECONFIG')
    .argument('<FILE>', 'a program that calls runOperator')
    .argument('[ARGS...]', 'its arguments, behind --')
    .option('--full-stacks', 'show all frames of stacks')
    .action(async (file: string, args: readonly string[], options: RunOptions) => {
      context.exitWith(await (await import('../run/run-file.ts')).runFile(context, { ...options, file, args }));
    });
}
