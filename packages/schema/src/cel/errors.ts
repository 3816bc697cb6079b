import { KubewrightError } from '@kubewright/apimachinery';
import type { Issue } from './syntax/issue.ts';

/**
 * Thrown for an expression that does not parse or whose types do not match. The message is the one that the API server
 * prints (`ERROR: <input>:1:1: undeclared reference to 'x' (in container '')`, the line, a marker below).
 *
 * @example
 * ```ts
 * try {
 *   compileExpression('object.spec.replicas <=', { environment: kubernetesEnvironment(), variables: { object: 'dyn' } });
 * } catch (error) {
 *   if (error instanceof CelCompileError) console.error(error.message); // ERROR: <input>:1:24: Syntax error: …
 *   else throw error;
 * }
 * ```
 */
export class CelCompileError extends KubewrightError {
  override readonly name = 'CelCompileError';
  readonly code = 'KW4101';
  /** Issues in source order; empty if the expression is valid but a part that is evaluated at compile time fails. */
  readonly issues: readonly Issue[];

  constructor(message: string, issues: readonly Issue[]) {
    super({ what: message });
    this.issues = issues;
  }
}

/**
 * Thrown for a compiled expression that fails on the given values (`no such key: x`, `division by zero`).
 *
 * @example
 * ```ts
 * function isReady(expression: CelExpression, object: unknown): boolean {
 *   try {
 *     return expression.evaluate({ object }) === true;
 *   } catch (error) {
 *     if (error instanceof CelEvaluationError) return false; // no such key: status
 *     throw error;
 *   }
 * }
 * ```
 */
export class CelEvaluationError extends KubewrightError {
  override readonly name = 'CelEvaluationError';
  readonly code = 'KW4102';

  constructor(message: string, options?: { readonly cause?: unknown }) {
    super({ what: message }, options);
  }
}

/**
 * Thrown when an evaluation exceeds its budget. No operator can absorb it.
 *
 * @example
 * ```ts
 * function isReady(expression: CelExpression, object: unknown): boolean {
 *   try {
 *     return expression.evaluate({ object }) === true;
 *   } catch (error) {
 *     if (error instanceof CelBudgetError) console.error('the expression is too expensive for this object');
 *     throw error;
 *   }
 * }
 * ```
 */
export class CelBudgetError extends KubewrightError {
  override readonly name = 'CelBudgetError';
  readonly code = 'KW4103';

  constructor() {
    super({ what: 'operation cancelled: actual cost limit exceeded' });
  }
}

/**
 * An error value of the language while it propagates. `||`, `&&`, `all` and `exists` absorb it.
 *
 * Not an `Error`: a rule may absorb one per element, and a stack trace for each would cost more than the rule.
 *
 * It never leaves this package; callers see {@link CelEvaluationError}.
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

/** Throws the fault of an operation that is not defined for its operand types. */
export function noSuchOverload(): never {
  throw new Fault('no such overload');
}
