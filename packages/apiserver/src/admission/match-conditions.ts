import {
  CelCompileError,
  type CelEnvironment,
  CelEvaluationError,
  type CelExpression,
  compileExpression,
  kubernetesEnvironment,
} from '@kubewright/schema';
import { AuthorizerValue, CelBudgetError, ResourceCheckValue } from '@kubewright/schema/internal';
import { type ConditionAccess, UnansweredError } from './condition-access.ts';
import { requestSchema } from './request-schema.ts';

/** The variables of match condition expressions. Absent objects are `null`. */
export interface ConditionInput {
  readonly object: unknown;
  readonly oldObject: unknown;
  /** The AdmissionRequest without its objects. */
  readonly request: unknown;
  /** Access checks for the `authorizer` variable. */
  readonly access: ConditionAccess;
}

/** The result of match conditions: call the webhook, do not call it, or errors that the failure policy decides on. */
export type MatchResult =
  | { readonly matches: true }
  | { readonly matches: false }
  | { readonly matches: undefined; readonly faults: readonly string[] };

/** CEL cost limit for all conditions of a webhook together, and for each of them. */
const BUDGET = 2_500_000;
const EXPRESSION_BUDGET = 1_000_000;
const VARIABLES = { object: 'dyn', oldObject: 'dyn', request: requestSchema } as const;
const OPAQUE = {
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

  /** Evaluates all conditions. A false one decides, even if others fail. Mirrors `matchconditions.Match` (1.36). */
  async evaluate(input: ConditionInput): Promise<MatchResult> {
    this.#compiled ??= this.#sources.map(({ expression }) => this.#compile(expression));
    const budget = { remaining: BUDGET };
    const { object, oldObject, request, access } = input;
    const values = {
      object,
      oldObject,
      request,
      authorizer: new AuthorizerValue(access.ask),
      'authorizer.requestResource': new ResourceCheckValue(access.ask, access.requestResource),
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
    return compiled(expression, this.#environment);
  }
}

/** Returns why an expression cannot be a condition, or undefined. */
export function conditionFault(expression: string): string | undefined {
  const made = compiled(expression, kubernetesEnvironment());
  if (made instanceof Error) return `compilation failed: ${made.message}`;
  const { resultType: type } = made.program;
  return type.kind === 'bool' || type.kind === 'dyn' ? undefined : `must evaluate to bool but got ${type.name}`;
}

function compiled(expression: string, environment: CelEnvironment): CelExpression | Error {
  try {
    return compileExpression(expression.trim(), { environment, variables: VARIABLES, opaque: OPAQUE });
  } catch (error) {
    if (error instanceof CelCompileError) return error;
    throw error;
  }
}

/** Evaluates an expression, and evaluates it again each time a missing authorizer decision arrives. */
async function outcome(
  compiled: CelExpression | Error,
  values: Readonly<Record<string, unknown>>,
  { budget, access }: { readonly budget: { remaining: number }; readonly access: ConditionAccess },
): Promise<boolean | Error> {
  if (compiled instanceof Error) return compiled;
  for (;;) {
    const own = { remaining: Math.min(EXPRESSION_BUDGET, budget.remaining) };
    const before = own.remaining;
    try {
      return truthOf(compiled.evaluate(values, own));
    } catch (error) {
      if (!(error instanceof UnansweredError)) return faultOf(error, before < EXPRESSION_BUDGET);
      await access.answer(error.question);
      own.remaining = before;
    } finally {
      budget.remaining -= before - own.remaining;
    }
  }
}

function truthOf(value: unknown): boolean | Error {
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
