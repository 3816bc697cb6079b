import type { CliEnvironment } from './cli-environment.ts';
import type { Reporter } from './reporter.ts';

/** The dependencies of every command. */
export interface Context {
  readonly environment: CliEnvironment;
  readonly reporter: Reporter;
  /** Sets a nonzero exit code for a command that did not throw. */
  exitWith(exitCode: number): void;
}
