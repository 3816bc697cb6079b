import type { Reporter } from './reporter.ts';
import type { Surroundings } from './surroundings.ts';

/** What every command is given. */
export interface Context {
  readonly surroundings: Surroundings;
  readonly reporter: Reporter;
  /** Ends the program with another exit code than 0 though nothing failed. */
  exitWith(exitCode: number): void;
}
