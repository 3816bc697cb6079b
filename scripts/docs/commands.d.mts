import type { runCli } from '../../packages/cli/src/run-cli.ts';

/** An argument, a flag or a command, with its description. */
export interface HelpEntry {
  readonly term: string;
  readonly text: string;
}

/** The help of a command. */
export interface CommandHelp {
  readonly usage: string;
  readonly description: string;
  readonly arguments: readonly HelpEntry[];
  readonly options: readonly HelpEntry[];
  readonly commands: readonly HelpEntry[];
}

/** Returns every command with its help, the program itself first. */
export function commandsOf(
  cli: typeof runCli,
): Promise<readonly (CommandHelp & { readonly words: readonly string[] })[]>;
