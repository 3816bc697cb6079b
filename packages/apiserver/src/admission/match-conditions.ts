import {
  CelBudgetError,
  CelCompileError,
  type CelEnvironment,
  CelEvaluationError,
  type CelExpression,
  compileExpression,
} from '@kubewright/schema';
import { AuthorizerValue, policyVariables, ResourceCheckValue } from '@kubewright/schema/internal';
import { type ConditionAccess, UndecidedError } from './condition-access.ts';

/** The variables of match condition expressions. Absent objects are `null`. */
export interface ConditionInput {
  readonly object: unknown;
  readonly oldObject: unknown;
  /** The AdmissionRequest without its objects. */
  readonly request: unknown;
  /** Access checks for the `authorizer` variable. */
  readonly access: ConditionAccess;
}

/** The result of match conditions: call the webhook, skip it, or apply its failure policy to the errors. */
export type MatchResult =
  | { readonly matches: true }
  | { readonly matches: false }
  | { readonly matches: undefined; readonly faults: readonly string[] };

/** CEL cost limits: for all conditions of a webhook together, and for each condition. */
const costBudget = 2_500_000;
const expressionBudget = 1_000_000;
const variables = { object: 'dyn', oldObject: 'dyn', request: policyVariables.request } as const;
const opaque = {
  authorizer: AuthorizerValue.celType,
  'authorizer.requestResource': ResourceCheckValue.celType,
} as const;

/** The CEL conditions of a webhook, all of which must be true. Compiled on first use. */
export class MatchConditions {
  readonly #sources: readonly { readonly expression: string }[];
  readonly #environment: CelEnvironment;
  #compiled: readonly (CelExpression | Error)[] | undefined;

  constructor(sources: readonly { readonly expression: string }[], environment: CelEnvironment) {
    this.#sources = sources;
    this.#environment = environment;
  }

  get isEmpty(): boolean {
    return this.#sources.length === 0;
  }

  /**
   * Evaluates all conditions. A false condition decides the result, even if others fail. Mirrors `matchconditions.Match` (1.36).
   */
  async evaluate(input: ConditionInput): Promise<MatchResult> {
    this.#compiled ??= this.#sources.map(({ expression }) => this.#compile(expression));
    const budget = { remaining: costBudget };
    const { object, oldObject, request, access } = input;
    const values = {
      object,
      oldObject,
      request,
      authorizer: new AuthorizerValue(access.authorize),
      'authorizer.requestResource': new ResourceCheckValue(access.authorize, access.requestResource),
    };
    const faults: string[] = [];
    for (const [index, compiled] of this.#compiled.entries()) {
      const result = await outcome(compiled, values, { budget, access });
      if (result === false) return { matches: false };
      if (result === true) continue;
      const source = this.#sources[index]?.expression;
      faults.push(result instanceof CelCompileError ? result.message : `expression '${source}' ${result.message}`);
    }
    return faults.length > 0 ? { matches: undefined, faults } : { matches: true };
  }

  #compile(expression: string): CelExpression | Error {
    return compileCondition(expression, this.#environment);
  }
}

/** Compiles a match condition of a webhook. */
export function compileCondition(expression: string, environment: CelEnvironment): CelExpression | Error {
  try {
    return compileExpression(expression.trim(), { environment, variables: variables, opaque: opaque });
  } catch (error) {
    if (error instanceof CelCompileError) return error;
    throw error;
  }
}

/** Evaluates an expression, and retries each time a missing authorizer decision arrives. */
async function outcome(
  compiled: CelExpression | Error,
  values: Readonly<Record<string, unknown>>,
  { budget, access }: { readonly budget: { remaining: number }; readonly access: ConditionAccess },
): Promise<boolean | Error> {
  if (compiled instanceof Error) return compiled;
  for (;;) {
    const own = { remaining: Math.min(expressionBudget, budget.remaining) };
    const before = own.remaining;
    try {
      return toBoolean(compiled.evaluate(values, own));
    } catch (error) {
      if (!(error instanceof UndecidedError)) return faultOf(error, before < expressionBudget);
      await access.fetch(error.request);
      own.remaining = before;
    } finally {
      budget.remaining -= before - own.remaining;
    }
  }
}

function toBoolean(value: unknown): boolean | Error {
  if (typeof value === 'boolean') return value;
  return new CelEvaluationError('resulted in error: cel expression does not evaluate to bool');
}

function faultOf(error: unknown, wasSpent: boolean): Error {
  if (error instanceof CelBudgetError) {
    const message = wasSpent
      ? 'validation failed due to running out of cost budget, no further validation rules will be run'
      : 'resulted in error: operation cancelled: actual cost limit exceeded';
    return new CelEvaluationError(message, { cause: error });
  }
  if (error instanceof CelEvaluationError) {
    return new CelEvaluationError(`resulted in error: ${error.message}`, { cause: error });
  }
  throw error;
}
