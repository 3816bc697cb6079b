import type { Clock, Random } from '@kubewright/apimachinery';

/** A text output, such as a terminal or a pipe. */
export interface Output {
  write(text: string): unknown;
}

/** A child process. */
export interface Child {
  readonly pid: number | undefined;
  /** Resolves with the exit code when the process exits, or with 128 plus the signal number. */
  readonly ended: Promise<number>;
  kill(signal: 'SIGTERM' | 'SIGKILL'): void;
  /** Writes to the process's standard input, if it has one. */
  write(text: string): void;
}

/** Options for starting a process. */
export interface SpawnOptions {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Receives standard output and standard error. @defaultValue this program's own output */
  readonly onOutput?: ((text: string) => void) | undefined;
  /** Receives standard error only; standard output goes to this program's standard output. */
  readonly onErrorOutput?: ((text: string) => void) | undefined;
  /** Connects the process's standard input, which closes when this process exits. @defaultValue false */
  readonly input?: boolean | undefined;
  /** File to which the output is appended. */
  readonly logFile?: string | undefined;
  /** Shields the process from the terminal's signals: only this program receives Ctrl-C. @defaultValue false */
  readonly shielded?: boolean | undefined;
  /** Lets the process outlive this process. @defaultValue false */
  readonly detached?: boolean | undefined;
}

/** The environment of a command-line run. */
export interface CliEnvironment {
  /** Arguments after the program's name. */
  readonly args: readonly string[];
  /** The command that started this program: interpreter, then script. */
  readonly program: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly homeDirectory: string | undefined;
  readonly platform: NodeJS.Platform;
  readonly nodeVersion: string;
  readonly stdout: Output;
  readonly stderr: Output;
  /** True if the user can be prompted. */
  readonly interactive: boolean;
  readonly colors: boolean;
  readonly clock: Clock;
  readonly random: Random;
  /**
   * Reads keys as they are pressed, without Enter; Ctrl-C remains a signal. The terminal is restored when the returned object
   * is disposed, and when the process exits for any reason. Undefined without a terminal.
   */
  readonly keys?: ((onKey: (key: string) => void) => Disposable) | undefined;
  /** Aborted by Ctrl-C, `kill`, or a closed terminal. */
  readonly signal: AbortSignal;
  /** 128 plus the number of the received signal; 0 if there was none. */
  interruptedBy(): number;
  /**
   * Reports uncaught errors instead of ending the process: a failure in one part of a cluster must not stop the others.
   * Undefined if another component handles uncaught errors.
   */
  readonly reportUncaught?: ((report: (error: unknown) => void) => void) | undefined;
  spawn(command: readonly string[], options: SpawnOptions): Child;
  /** Signals a process that this process did not start. */
  kill(pid: number, signal: 'SIGTERM' | 'SIGKILL'): void;
}
