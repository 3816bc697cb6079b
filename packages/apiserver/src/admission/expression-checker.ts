import { type CelEnvironment, type CelExpression, kubernetesEnvironment } from '@kubewright/schema';
import { compileCondition } from './match-conditions.ts';
import { compilePolicyExpression, type PolicyVariable } from './policies/policy-expression.ts';

/**
 * Checks CEL expressions before they are stored: match conditions of webhooks, or the expressions of one policy. Declare
 * the policy's variables in their order; each can be used by the expressions that are checked later.
 */
export class ExpressionChecker {
  readonly #policy: { readonly params: boolean } | undefined;
  readonly #environment: CelEnvironment;
  readonly #variables: PolicyVariable[] = [];

  /**
   * @param policy - absent for webhooks. `params`: true if the policy has parameters. `mutations`: true if expressions can
   * create `Object` and `JSONPatch`.
   */
  constructor(policy?: { readonly params: boolean; readonly mutations?: boolean }) {
    this.#policy = policy;
    this.#environment = kubernetesEnvironment({ mutations: policy?.mutations ?? false });
  }

  /** Declares a variable with the type of its expression. Returns the reason that the expression is invalid. */
  declare({ name, expression }: { readonly name: string; readonly expression: string }): string | undefined {
    const compiled = this.#compile(expression);
    const isInvalid = compiled instanceof Error;
    // Only the variable itself is reported as invalid, so other expressions can use it with any type.
    this.#variables.push({ name, compiled: isInvalid ? undefined : compiled });
    return isInvalid ? compilationFailed(compiled) : undefined;
  }

  /**
   * Returns the reason that an expression is invalid, or undefined if it is valid.
   *
   * @param types - allowed result types, such as `string` and `null_type`
   */
  fault(expression: string, types: readonly string[] = ['bool', 'dyn']): string | undefined {
    const compiled = this.#compile(expression);
    if (compiled instanceof Error) return compilationFailed(compiled);
    const name = compiled.program.resultTypeName;
    if (types.includes(name)) return undefined;
    const wanted = this.#policy && types.length > 1 ? `one of [${types.join(' ')}]` : types[0];
    return `must evaluate to ${wanted} but got ${name}`;
  }

  #compile(expression: string): CelExpression | Error {
    const environment = this.#environment;
    if (this.#policy === undefined) return compileCondition(expression, environment);
    const { params } = this.#policy;
    return compilePolicyExpression(expression, { environment, params, variables: this.#variables });
  }
}

function compilationFailed({ message }: Error): string {
  return `compilation failed: ${message}`;
}
