import type { ParseArgsConfig } from 'node:util';
import type { Clock } from '@kubewright/apimachinery';
import type { KubernetesClient } from '@kubewright/client';

/** Flags of a command line, as `parseArgs` returns them. */
export type Flags = Readonly<Record<string, string | boolean | undefined>>;

/** A subcommand of `kubectl kubewright pg`. */
export interface Command {
  readonly summary: string;
  /** Names of the arguments; those in brackets are optional. */
  readonly args: readonly string[];
  /** Flags, with a description each. */
  readonly flags: Readonly<Record<string, Flag>>;
  /** Returns the exit code, if it is not 0. */
  run(line: CommandLine, session: Session): Promise<number | undefined>;
}

export interface Flag {
  readonly type: NonNullable<ParseArgsConfig['options']>[string]['type'];
  readonly short?: string;
  /** Name of the value in the help; missing for flags without one. */
  readonly value?: string;
  readonly text: string;
}

/** The words after the name of a command. */
export interface CommandLine {
  readonly args: readonly string[];
  readonly flags: Flags;
  /** Words after `--`. */
  readonly rest: readonly string[];
}

/** The cluster that a command works on, and where it prints. */
export interface Session {
  readonly client: KubernetesClient;
  readonly namespace: string;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  print(text: string): void;
  /** Runs kubectl against the same API server, with the terminal of this program. Returns its exit code. */
  kubectl(args: readonly string[]): Promise<number>;
}

/** Returns the value of a flag that takes one. */
export function textFlag(flags: Flags, name: string): string | undefined {
  const value = flags[name];
  return typeof value === 'string' ? value : undefined;
}
