import { KubewrightError } from '@kubewright/apimachinery';
import type { Issue } from './syntax/issue.ts';

/**
 * Thrown for an expression with a syntax or type error. The message matches the API server's
 * (`ERROR: <input>:1:1: undeclared reference to 'x' (in container '')`, the line, a marker below).
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
  /** Issues in source order. Empty if the expression is well formed but evaluating a constant part fails. */
  readonly issues: readonly Issue[];

  constructor(message: string, issues: readonly Issue[]) {
    super({ what: message });
    this.issues = issues;
  }
}

/**
 * Thrown if a compiled expression fails on the given values (`no such key: x`, `division by zero`).
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
 * Thrown when an evaluation exceeds its budget. Unlike other evaluation errors, it is not absorbed by `||`, `&&` and macros.
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
 * An error value of the language while the value propagates. `||`, `&&`, `all` and `exists` can absorb it.
 *
 * Not a subclass of `Error`, because a rule may absorb one fault per element, and capturing stack traces would cost
 * more than the rule itself.
 *
 * A fault never leaves this package; callers see {@link CelEvaluationError}.
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

/** Throws the fault for an operation that is not defined for the types of its operands. */
export function noSuchOverload(): never {
  throw new Fault('no such overload');
}
