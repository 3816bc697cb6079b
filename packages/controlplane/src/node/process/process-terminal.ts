import type { ChildProcess } from 'node:child_process';
import type { TerminalSize } from '../../kube-apiserver/pods/node-connector.ts';
import { CommandError } from './find-command.ts';
import type { ProcessIdentity } from './process-identity.ts';
import { readTerminal, resizeCommand, type Terminal } from './terminal.ts';

/** The terminal of a command that was started with `onTerminal`. */
export class ProcessTerminal {
  readonly #child: ChildProcess;
  readonly #start: (command: readonly string[]) => ChildProcess;
  readonly #terminal: Promise<Terminal | undefined>;
  readonly #ended: Promise<unknown>;

  /**
   * @param child - the program that holds the terminal.
   * @param options - `start`: starts a command that can open the terminal.
   */
  constructor(child: ChildProcess, options: { readonly start: (command: readonly string[]) => ChildProcess }) {
    this.#child = child;
    this.#start = options.start;
    this.#terminal = readTerminal(child);
    this.#ended = new Promise((resolve) => child.once('exit', resolve));
  }

  /**
   * The command, which leads the terminal's session; undefined if the command ended before it reported its terminal.
   */
  get leader(): Promise<ProcessIdentity | undefined> {
    return this.#terminal.then((terminal) => terminal?.leader);
  }

  /**
   * Resizes the terminal until there are no more sizes or the command has ended. Each resize ends before the next
   * begins, because a client sends two sizes in a row to make programs redraw, and the last size must win.
   */
  async follow(sizes: AsyncIterable<TerminalSize>): Promise<void> {
    const terminal = await this.#terminal;
    if (!terminal) return;
    for await (const size of sizes) {
      if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
      try {
        await Promise.race([ended(this.#start(resizeCommand(terminal, size))), this.#ended]);
      } catch (error) {
        // Without `stty`, the terminal keeps its size.
        if (error instanceof CommandError) return;
        throw error;
      }
    }
  }
}

/** Resolves when a program has ended, even if it failed: the command can end before its terminal is resized. */
function ended(program: ChildProcess): Promise<void> {
  program.stdin?.end();
  // A full pipe would block the program.
  program.stdout?.resume();
  program.stderr?.resume();
  return new Promise((resolve) => {
    program.once('error', () => resolve()).once('close', () => resolve());
  });
}
