import type { Clock, Random } from '@kubewright/apimachinery';

/** Where text goes: a terminal, a pipe, a test. */
export interface Output {
  write(text: string): unknown;
}

/** A program that was started. */
export interface Child {
  readonly pid: number | undefined;
  /** Resolves when it has ended: its exit code, or 128 and the signal's number. */
  readonly ended: Promise<number>;
  kill(signal: 'SIGTERM' | 'SIGKILL'): void;
  /** Writes to its input, where it has one. */
  tell(text: string): void;
}

/** How a program is started. */
export interface SpawnOptions {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Gets what the program writes, to either output. @defaultValue this program's own output */
  readonly onOutput?: (text: string) => void;
  /** Gets what the program writes to its error output; the other one is this program's own. */
  readonly onErrorOutput?: (text: string) => void;
  /** Gives the program an input, which ends with this process at the latest. @defaultValue false */
  readonly input?: boolean;
  /** File that the program's output is added to. */
  readonly logFile?: string;
  /** Keeps the terminal's signals from the program: Ctrl-C is then this program's alone. @defaultValue false */
  readonly shielded?: boolean;
  /** Lets the program live on when this one ends. @defaultValue false */
  readonly detached?: boolean;
}

/** What a run of the command line sees of the world. */
export interface Surroundings {
  /** Arguments after the program's name. */
  readonly args: readonly string[];
  /** How this program is started: interpreter, then script. */
  readonly program: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly homeDirectory: string | undefined;
  readonly platform: NodeJS.Platform;
  readonly nodeVersion: string;
  readonly stdout: Output;
  readonly stderr: Output;
  /** True if a person can be asked. */
  readonly interactive: boolean;
  readonly colors: boolean;
  readonly clock: Clock;
  readonly random: Random;
  /**
   * Reads keys as they are pressed, without Enter; Ctrl-C stays a signal. The terminal is as before when the answer is disposed, and
   * at the end of the process, whatever ends it. Absent without a terminal.
   */
  readonly keys?: ((onKey: (key: string) => void) => Disposable) | undefined;
  /** Aborted by Ctrl-C, `kill`, or a closed terminal. */
  readonly signal: AbortSignal;
  /** 128 and the number of the signal that came; 0 when none did. */
  interruptedBy(): number;
  /**
   * Reports errors that nobody caught, which then do not end the process: one part of a cluster must not take the others
   * with it. Absent where somebody else watches over the process.
   */
  readonly reportUncaught?: ((report: (error: unknown) => void) => void) | undefined;
  spawn(command: readonly string[], options: SpawnOptions): Child;
  /** Signals a process that this one did not start. */
  kill(pid: number, signal: 'SIGTERM' | 'SIGKILL'): void;
}
