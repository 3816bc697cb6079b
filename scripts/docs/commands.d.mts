import type { runCli } from '../../packages/cli/src/run-cli.ts';

/** An argument, a flag or a command, and what is said of it. */
export interface HelpEntry {
  readonly term: string;
  readonly text: string;
}

/** What a command says of itself. */
export interface CommandHelp {
  readonly usage: string;
  readonly description: string;
  readonly arguments: readonly HelpEntry[];
  readonly options: readonly HelpEntry[];
  readonly commands: readonly HelpEntry[];
}

/** Every command with what its help says, the program itself first. */
export function commandsOf(
  cli: typeof runCli,
): Promise<readonly (CommandHelp & { readonly words: readonly string[] })[]>;
