import {
  CelBudgetError,
  CelCompileError,
  type CelEnvironment,
  CelEvaluationError,
  type CelExpression,
  compileExpression,
} from '@kubewright/schema';
import { AuthorizerValue, policyVariables, ResourceCheckValue } from '@kubewright/schema/internal';
import { type ConditionAccess, UndecidedError } from '../condition-access.ts';

/** CEL cost limit for one expression. */
const expressionBudget = 1_000_000;
/** CEL cost limit for all expressions that share one {@link PolicyScope}. */
export const policyBudget = 10_000_000;

const spent = 'validation failed due to running out of cost budget, no further validation rules will be run';

/**
 * The type of `variables`. It has no fields, because each variable is declared under its full name, such as `variables.limit`.
 */
const variablesType: ExpressionType = {
  kind: 'struct',
  name: 'kubernetes.variables',
  params: [],
  fields: { typeOf: () => undefined },
};
type ExpressionType = CelExpression['program']['resultType'];

/** A variable of a policy. */
export interface PolicyVariable {
  readonly name: string;
  /** Absent if expressions are only checked, not evaluated. The variable can then have any type. */
  readonly compiled: CelExpression | Error | undefined;
}

/** The values available to all expressions of a policy. Absent objects are `null`. */
export interface PolicyValues {
  readonly object: unknown;
  readonly oldObject: unknown;
  readonly request: unknown;
  readonly params: unknown;
  readonly namespaceObject: unknown;
}

/** Compiles an expression of a policy. Variables are declared under their full names, such as `variables.limit`. */
export function compilePolicyExpression(
  source: string,
  options: {
    readonly environment: CelEnvironment;
    readonly variables: readonly PolicyVariable[];
    /** False if the policy has no parameters. @defaultValue true */
    readonly params?: boolean;
  },
): CelExpression | Error {
  const { environment, variables, params = true } = options;
  const dynamic = variables.filter(({ compiled }) => compiled === undefined);
  const typed = variables.flatMap(({ name, compiled }) =>
    compiled === undefined || compiled instanceof Error ? [] : [[fullName(name), compiled.program.resultType] as const],
  );
  try {
    return compileExpression(source.trim(), {
      environment,
      variables: {
        object: 'dyn',
        oldObject: 'dyn',
        request: policyVariables.request,
        namespaceObject: 'dyn',
        ...(params && { params: 'dyn' }),
        ...Object.fromEntries(dynamic.map(({ name }) => [fullName(name), 'dyn'] as const)),
      },
      opaque: {
        authorizer: AuthorizerValue.celType,
        'authorizer.requestResource': ResourceCheckValue.celType,
        variables: variablesType,
      },
      deferred: Object.fromEntries(typed),
    });
  } catch (error) {
    if (error instanceof CelCompileError) return error;
    throw error;
  }
}

/** Returns the full name of a variable, such as `variables.limit`. */
function fullName(name: string): string {
  return `variables.${name}`;
}

/** Thrown when a policy has used up its budget; its results are discarded. */
export class PolicyBudgetError extends Error {
  constructor() {
    super(spent);
    this.name = 'PolicyBudgetError';
  }
}

/** The values of one evaluation of a policy. Each variable is evaluated once, when an expression first refers to it. */
export class PolicyScope {
  readonly #values: Readonly<Record<string, unknown>>;
  readonly #access: ConditionAccess;
  readonly #known = new Map<string, unknown>();
  readonly #budget: { remaining: number };
  /** Cost of the variables that the current expression was the first to read. */
  #variablesCost = 0;

  constructor(
    values: PolicyValues,
    options: {
      readonly access: ConditionAccess;
      readonly variables: readonly PolicyVariable[];
      readonly budget: { remaining: number };
    },
  ) {
    const { access, variables, budget } = options;
    this.#values = {
      ...values,
      authorizer: new AuthorizerValue(access.authorize),
      'authorizer.requestResource': new ResourceCheckValue(access.authorize, access.requestResource),
      ...Object.fromEntries(
        variables.map((variable) => [fullName(variable.name), () => this.#read(variable)] as const),
      ),
    };
    this.#access = access;
    this.#budget = budget;
  }

  /** Evaluates an expression. @returns its value, or the resulting error. @throws PolicyBudgetError */
  async evaluate(compiled: CelExpression | Error): Promise<unknown> {
    if (compiled instanceof Error) return compiled;
    for (;;) {
      const result = this.#attempt(compiled);
      if (!(result instanceof UndecidedError)) return result;
      await this.#access.fetch(result.request);
    }
  }

  /** Evaluates an expression once. An attempt that stops at an undecided authorizer check costs nothing. */
  #attempt(compiled: CelExpression): unknown {
    const before = Math.min(expressionBudget, this.#budget.remaining);
    const own = { remaining: before };
    const result = resultOf(compiled, this.#values, own);
    if (result instanceof UndecidedError) return result;
    this.#budget.remaining -= before - own.remaining + this.#variablesCost;
    this.#variablesCost = 0;
    if (this.#budget.remaining < 0) throw new PolicyBudgetError();
    return result;
  }

  /** Returns the value of a variable, which is evaluated once, with a separate budget. */
  #read({ name, compiled }: PolicyVariable): unknown {
    if (!this.#known.has(name)) {
      const own = { remaining: expressionBudget };
      const result = compiled instanceof Error ? compiled : compiled && resultOf(compiled, this.#values, own);
      if (result instanceof UndecidedError) throw result;
      this.#variablesCost += expressionBudget - own.remaining;
      this.#known.set(name, result);
    }
    const value = this.#known.get(name);
    if (!(value instanceof Error)) return value;
    throw new CelEvaluationError(`composited variable "${name}" fails to evaluate: ${value.message}`, { cause: value });
  }
}

/** Returns the value of an expression, or the error of its evaluation. */
function resultOf(
  compiled: CelExpression,
  values: Readonly<Record<string, unknown>>,
  budget: { remaining: number },
): unknown {
  try {
    return compiled.evaluate(values, budget);
  } catch (error) {
    if (error instanceof UndecidedError || error instanceof CelEvaluationError) return error;
    if (!(error instanceof CelBudgetError)) throw error;
    return new CelEvaluationError('operation cancelled: actual cost limit exceeded', { cause: error });
  }
}
