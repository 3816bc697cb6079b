import type { ParseArgsConfig } from 'node:util';
import type { Clock } from '@kubewright/apimachinery';
import type { KubernetesClient } from '@kubewright/client';

/** The flags of a command line, as `parseArgs` returns them. */
export type Flags = Readonly<Record<string, string | boolean | undefined>>;

/** A subcommand of `kubectl kubewright pg`. */
export interface Command {
  readonly summary: string;
  /** Names of the arguments. Names in brackets are optional. */
  readonly args: readonly string[];
  /** The command's own flags, by name. */
  readonly flags: Readonly<Record<string, Flag>>;
  /** Runs the command. Returns the exit code; undefined means 0. */
  run(line: CommandLine, session: Session): Promise<number | undefined>;
}

export interface Flag {
  readonly type: NonNullable<ParseArgsConfig['options']>[string]['type'];
  readonly short?: string;
  /** Name of the value in the help text; undefined for a flag without a value. */
  readonly value?: string;
  readonly text: string;
}

/** The parsed arguments of a command. */
export interface CommandLine {
  readonly args: readonly string[];
  readonly flags: Flags;
  /** Arguments after `--`. */
  readonly rest: readonly string[];
}

/** The API client, namespace and output of a command. */
export interface Session {
  readonly client: KubernetesClient;
  readonly namespace: string;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  print(text: string): void;
  /** Runs kubectl against the same API server, on this program's terminal. Returns its exit code. */
  kubectl(args: readonly string[]): Promise<number>;
}

/** Returns the value of a string flag, or undefined if it is not set. */
export function textFlag(flags: Flags, name: string): string | undefined {
  const value = flags[name];
  return typeof value === 'string' ? value : undefined;
}
