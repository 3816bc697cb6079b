import type { Issue } from './syntax/issue.ts';

/**
 * An expression that cannot be used: its text does not parse or its types do not fit. The message is the one that the
 * API server prints (`ERROR: <input>:1:1: undeclared reference to 'x' (in container '')`, the line, a marker below).
 */
export class CelCompileError extends Error {
  readonly code = 'KW4101';
  /** Faults by place; empty if the expression fits but a part of it, computed beforehand, fails. */
  readonly issues: readonly Issue[];

  constructor(message: string, issues: readonly Issue[]) {
    super(message);
    this.name = 'CelCompileError';
    this.issues = issues;
  }
}

/** An expression that was compiled but could not be evaluated on the given values (`no such key: x`, `division by zero`). */
export class CelEvaluationError extends Error {
  readonly code = 'KW4102';

  constructor(message: string, options?: { readonly cause?: unknown }) {
    super(message, options);
    this.name = 'CelEvaluationError';
  }
}

/** An evaluation that was stopped because it went over its budget. No operator can absorb it. */
export class CelBudgetError extends Error {
  readonly code = 'KW4103';

  constructor() {
    super('operation cancelled: actual cost limit exceeded');
    this.name = 'CelBudgetError';
  }
}

/**
 * An error value of the language while it is on its way up. `||`, `&&`, `all` and `exists` absorb it.
 *
 * Not an `Error`: a rule may absorb one per element, and taking a stack trace for each costs more than the rule.
 * It never leaves this package: {@link CelEvaluationError} does.
 */
export class Fault {
  readonly message: string;

  constructor(message: string) {
    this.message = message;
  }
}

/** Throws a {@link Fault}. */
export function fail(message: string): never {
  throw new Fault(message);
}

/** The fault of an operation that is not defined for the types that it met. */
export function noSuchOverload(): never {
  throw new Fault('no such overload');
}
