import type { Command } from 'commander';
import { printCompletion } from '../completion/print-completion.ts';
import { shells } from '../completion/shell-scripts.ts';
import type { Context } from '../program/context.ts';

/** Adds `completion SHELL`, which prints a script that completes commands and flags. */
export function addCompletion(program: Command, context: Context): void {
  program
    .command('completion')
    .description('print a script that completes commands and flags')
    .argument('<SHELL>', shells.join(', '))
    .addHelpText(
      'after',
      '\nFor bash:  source <(kubewright completion bash)\nFor fish:  kubewright completion fish | source',
    )
    .action((shell: string) => printCompletion(context, { program, shell }));
}
