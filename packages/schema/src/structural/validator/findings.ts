import { type FieldProblem, invalid } from '../field-problem.ts';

/** The results of one validation. */
export interface Findings {
  readonly problems: FieldProblem[];
  /** Number of passed checks. Upstream shows the errors of the `anyOf`/`oneOf` alternative that passed the most checks. */
  matches: number;
}

/** Checks a value. `old` is the value before the update, if known. */
export type Validate = (value: unknown, path: string, at: Findings, old: unknown) => void;

/** Formats a path in the form that the API server reports. */
export function fieldOf(path: string): string {
  return path.startsWith('.') ? path.slice(1) : path;
}

/** Adds a problem for a value that violates its schema. */
export function fail(
  at: Findings,
  path: string,
  { value, text }: { readonly value: unknown; readonly text: string },
): void {
  at.problems.push(invalid(fieldOf(path), value, `${path} in body ${text}`));
}
