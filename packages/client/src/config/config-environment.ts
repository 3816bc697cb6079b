import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { type Clock, systemClock } from '@kubewright/apimachinery';
import { nodeSpawner } from './node-spawner.ts';

/** Everything that configuration reads from outside, so that tests can bring their own. */
export interface ConfigEnvironment {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly homeDirectory: string | undefined;
  readonly platform: string;
  /** True if a person can answer a plugin's questions: standard input is a terminal. */
  readonly isInteractive: boolean;
  readonly clock: Clock;
  readonly spawner: Spawner;
  /** Reads a file as UTF-8. Rejects with `code: 'ENOENT'` where there is none. */
  readFile(path: string): Promise<string>;
}

/** Runs programs. */
export interface Spawner {
  /** Runs a program to its end. Rejects when it cannot be started (`code: 'ENOENT'`: there is none of that name). */
  run(request: SpawnRequest): Promise<SpawnResult>;
}

/** A program to run. */
export interface SpawnRequest {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Hands the terminal's input and error output to the program. */
  readonly interactive: boolean;
  /** Kills it. */
  readonly signal: AbortSignal;
  /** Output beyond this kills it, too. */
  readonly maxOutputBytes: number;
}

/** How it ended. */
export interface SpawnResult {
  /** `null` when a signal ended it. */
  readonly exitCode: number | null;
  readonly stdout: string;
  /** Empty when the program wrote to the terminal. */
  readonly stderr: string;
}

/** The environment of this process. */
export function processEnvironment(): ConfigEnvironment {
  return {
    env: process.env,
    homeDirectory: homeDirectory(),
    platform: process.platform,
    isInteractive: process.stdin.isTTY === true,
    clock: systemClock,
    spawner: nodeSpawner,
    readFile: (path) => readFile(path, 'utf8'),
  };
}

/** Containers may run as a user that no list of users names: without HOME, Node does not find a home but throws. */
function homeDirectory(): string | undefined {
  try {
    return homedir() || undefined;
  } catch {
    return undefined;
  }
}
