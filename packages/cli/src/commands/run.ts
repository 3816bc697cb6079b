import type { Command } from 'commander';
import type { RunOptions } from '../bundle/run-file.ts';
import type { Context } from '../program/context.ts';

/** Adds `run FILE`, which runs one TypeScript file as an operator. */
export function addRun(program: Command, context: Context): void {
  program
    .command('run')
    .description('run one TypeScript file as an operator, in the cluster of this folder or that of KUBECONFIG')
    .argument('<FILE>', 'a program that calls runOperator')
    .argument('[ARGS...]', 'its arguments, behind --')
    .option('--full-stacks', 'show all frames of stacks')
    .action(async (file: string, args: readonly string[], options: RunOptions) => {
      context.exitWith(await (await import('../bundle/run-file.ts')).runFile(context, { ...options, file, args }));
    });
}
