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

/** The cost of one evaluation, and of all expressions of a policy for one binding. */
const expressionBudget = 1_000_000;
/** See {@link expressionBudget}. */
export const policyBudget = 10_000_000;

const spent = 'validation failed due to running out of cost budget, no further validation rules will be run';

/** The type of `variables`. Those that exist are declared by their whole names, so any other field is undefined. */
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
  /** Absent while expressions are only checked: the variable can have any type. */
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

/** Compiles an expression. The policy's variables are declared by their whole names, such as `variables.limit`. */
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
    compiled === undefined || compiled instanceof Error ? [] : [[whole(name), compiled.program.resultType] as const],
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
        ...Object.fromEntries(dynamic.map(({ name }) => [whole(name), 'dyn'] as const)),
      },
      opaque: {
        authorizer: AuthorizerValue.celType,
        'authorizer.requestResource': ResourceCheckValue.celType,
        variables: variablesType,
        ...Object.fromEntries(typed),
      },
    });
  } catch (error) {
    if (error instanceof CelCompileError) return error;
    throw error;
  }
}

/** Returns the whole name of a variable. */
function whole(name: string): string {
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
  readonly #variables: readonly PolicyVariable[];
  readonly #known = new Map<string, unknown>();
  readonly #budget: { remaining: number };

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
    };
    this.#access = access;
    this.#variables = variables;
    this.#budget = budget;
  }

  /** Evaluates an expression. @returns its value, or the resulting error. @throws PolicyBudgetError */
  async evaluate(compiled: CelExpression | Error): Promise<unknown> {
    if (compiled instanceof Error) return compiled;
    const used = this.#variables.filter(({ name }) => compiled.program.uses(`variables.${name}`));
    for (const { name, compiled: expression } of used) {
      if (expression && !this.#known.has(name)) this.#known.set(name, await this.evaluate(expression));
    }
    const values: Record<string, unknown> = { ...this.#values };
    for (const { name } of used) {
      const value = this.#known.get(name);
      // Without a value, the expression fails only if it actually reads the variable.
      if (!(value instanceof Error)) values[`variables.${name}`] = value;
    }
    const result = await this.#run(compiled, values);
    return result instanceof Error ? this.#explained(result) : result;
  }

  /** Evaluates, and evaluates again each time a missing decision of the authorizer arrives. */
  async #run(compiled: CelExpression, values: Readonly<Record<string, unknown>>): Promise<unknown> {
    for (;;) {
      const own = { remaining: Math.min(expressionBudget, this.#budget.remaining) };
      const before = own.remaining;
      try {
        return compiled.evaluate(values, own);
      } catch (error) {
        if (error instanceof UndecidedError) {
          await this.#access.fetch(error.request);
          own.remaining = before;
        } else if (error instanceof CelBudgetError) {
          if (before < expressionBudget) throw new PolicyBudgetError();
          return new CelEvaluationError('operation cancelled: actual cost limit exceeded', { cause: error });
        } else if (error instanceof CelEvaluationError) return error;
        else throw error;
      } finally {
        this.#budget.remaining -= before - own.remaining;
      }
    }
  }

  /** Returns the error of the variable whose absence made an expression fail. */
  #explained(error: Error): Error {
    const [, name] = /^no such attribute\(s\): variables\.(\w+)$/.exec(error.message) ?? [];
    const cause = name === undefined ? undefined : this.#known.get(name);
    if (!(cause instanceof Error)) return error;
    return new CelEvaluationError(`composited variable "${name}" fails to evaluate: ${cause.message}`, { cause });
  }
}
