import {
  type Budget,
  CelBudgetError,
  CelCompileError,
  type CelEnvironment,
  CelEvaluationError,
  type CelExpression,
  compileExpression,
  kubernetesEnvironment,
} from '@kubewright/schema';
import { requestSchema } from './request-schema.ts';

/** What expressions may look at. Absent objects are `null`. */
export interface ConditionInput {
  readonly object: unknown;
  readonly oldObject: unknown;
  /** The AdmissionRequest without its objects. */
  readonly request: unknown;
}

/** What conditions come to: to call, not to call, or faults that decide by the failure policy. */
export type Verdict =
  | { readonly matches: true }
  | { readonly matches: false }
  | { readonly matches: undefined; readonly faults: readonly string[] };

const BUDGET = 2_500_000;
const VARIABLES = { object: 'dyn', oldObject: 'dyn', request: requestSchema } as const;

/** The CEL conditions of a webhook, all of which must hold. Compiled when they are first asked. */
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

  /** One that is false decides, whatever is wrong with others. Mirrors `matchconditions.Match` (1.36). */
  evaluate(input: ConditionInput): Verdict {
    this.#compiled ??= this.#sources.map(({ expression }) => this.#compile(expression));
    const budget: Budget = { remaining: BUDGET };
    const faults: string[] = [];
    for (const [index, compiled] of this.#compiled.entries()) {
      const result = outcome(compiled, { ...input }, budget);
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

/** Why an expression cannot be a condition, if so. */
export function conditionFault(expression: string): string | undefined {
  const made = compiled(expression, kubernetesEnvironment());
  if (made instanceof Error) return `compilation failed: ${made.message}`;
  const { resultType: type } = made.program;
  return type.kind === 'bool' || type.kind === 'dyn' ? undefined : `must evaluate to bool but got ${type.name}`;
}

function compiled(expression: string, environment: CelEnvironment): CelExpression | Error {
  try {
    return compileExpression(expression.trim(), { environment, variables: VARIABLES });
  } catch (error) {
    if (error instanceof CelCompileError) return error;
    throw error;
  }
}

function outcome(compiled: CelExpression | Error, input: Record<string, unknown>, budget: Budget): boolean | Error {
  if (compiled instanceof Error) return compiled;
  try {
    const value = compiled.evaluate(input, budget);
    if (typeof value === 'boolean') return value;
    return new CelEvaluationError('resulted in error: cel expression evaluates to a value that is no bool');
  } catch (error) {
    if (error instanceof CelBudgetError) {
      return new CelEvaluationError(
        'validation failed due to running out of cost budget, no further validation rules will be run',
        { cause: error },
      );
    }
    if (error instanceof CelEvaluationError) {
      return new CelEvaluationError(`resulted in error: ${error.message}`, { cause: error });
    }
    throw error;
  }
}
