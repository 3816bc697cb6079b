import { homedir } from 'node:os';
import { type Clock, systemClock } from '@kubewright/apimachinery';
import { nodeSpawner } from './node-spawner.ts';

/** All outside input of the configuration, replaceable in tests. */
export interface ConfigEnvironment {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly homeDirectory: string | undefined;
  readonly platform: string;
  /** True if a user can answer a credential plugin's prompts: standard input is a terminal. */
  readonly isInteractive: boolean;
  readonly clock: Clock;
  readonly spawner: Spawner;
  /** Reads a file as UTF-8. Rejects with `code: 'ENOENT'` if the file does not exist. */
  readFile(path: string): Promise<string>;
}

/** Runs programs. */
export interface Spawner {
  /**
   * Runs a program until it exits. Rejects if the program cannot be started (`code: 'ENOENT'` if no such program
   * exists).
   */
  run(request: SpawnRequest): Promise<SpawnResult>;
}

/** A program to run. */
export interface SpawnRequest {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  /** True to connect the program's stdin and stderr to the terminal. */
  readonly interactive: boolean;
  /** Kills the program when aborted. */
  readonly signal: AbortSignal;
  /** Maximum size of the program's output; a program that exceeds it is killed. */
  readonly maxOutputBytes: number;
}

/** The result of a program that has ended. */
export interface SpawnResult {
  /** `null` if a signal ended it. */
  readonly exitCode: number | null;
  readonly stdout: string;
  /** Empty if the program wrote to the terminal. */
  readonly stderr: string;
}

/**
 * Returns the environment of this process.
 *
 * @example
 * ```ts
 * const config = await loadClientConfig({ environment: processEnvironment() });
 * ```
 */
export function processEnvironment(): ConfigEnvironment {
  return {
    env: process.env,
    homeDirectory: homeDirectory(),
    platform: process.platform,
    isInteractive: process.stdin.isTTY === true,
    clock: systemClock,
    spawner: nodeSpawner,
    readFile: async (path) => (await import('node:fs/promises')).readFile(path, 'utf8'),
  };
}

/**
 * Returns the home directory, or undefined. Node throws if HOME is unset and the user has no passwd entry, as in some
 * containers.
 */
function homeDirectory(): string | undefined {
  try {
    return homedir() || undefined;
  } catch {
    return undefined;
  }
}
