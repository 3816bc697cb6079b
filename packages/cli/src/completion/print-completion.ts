import type { Command } from 'commander';
import { CliError } from '../program/cli-error.ts';
import type { Context } from '../program/context.ts';
import { completions } from './completions.ts';
import { scripts, shells } from './shell-scripts.ts';

/** Prints the completion script of a shell. @throws CliError KW7001 if no script exists for that shell */
export function printCompletion(
  { reporter }: Context,
  { program, shell }: { readonly program: Command; readonly shell: string },
): void {
  const script = scripts[shell as keyof typeof scripts];
  if (script === undefined) {
    throw new CliError('KW7001', {
      what: `no completion is available for ${shell}`,
      why: `the shell must be one of ${shells.join(', ')}`,
      remedy: 'run kubewright completion bash',
    });
  }
  const text = script(completions(program));
  reporter.result({ shell, script: text }, text);
}
