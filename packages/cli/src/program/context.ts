import type { Reporter } from './reporter.ts';
import type { Surroundings } from './surroundings.ts';

/** The dependencies of every command. */
export interface Context {
  readonly surroundings: Surroundings;
  readonly reporter: Reporter;
  /** Sets a nonzero exit code for a command that did not throw. */
  exitWith(exitCode: number): void;
}
