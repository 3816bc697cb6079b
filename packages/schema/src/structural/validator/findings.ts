import { type FieldProblem, invalid } from '../field-problem.ts';

/** The results of one validation. */
export interface Findings {
  readonly problems: FieldProblem[];
  /** Number of passed checks. Upstream shows the errors of the `anyOf`/`oneOf` alternative that passed the most checks. */
  matches: number;
}

/** Checks one value. `old` is the value that it replaces if known, otherwise `undefined`. */
export type Validate = (value: unknown, path: string, at: Findings, old: unknown) => void;

/** Returns a path as the API server reports it. */
export function fieldOf(path: string): string {
  return path.startsWith('.') ? path.slice(1) : path;
}

/** Adds the problem of a value that breaks a rule of its schema. */
export function fail(
  at: Findings,
  path: string,
  { value, text }: { readonly value: unknown; readonly text: string },
): void {
  at.problems.push(invalid(fieldOf(path), value, `${path} in body ${text}`));
}
