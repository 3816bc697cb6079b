import type { CelEnvironment, CelExpression } from '@kubewright/schema';
import type { ConditionAccess } from '../condition-access.ts';
import { conditionsBudget, conditionsHold, faultOf } from './policy-conditions.ts';
import {
  compilePolicyExpression,
  PolicyBudgetError,
  PolicyScope,
  type PolicyValues,
  type PolicyVariable,
  policyBudget,
} from './policy-expression.ts';
import type { PolicyObject, PolicyValidation } from './policy-types.ts';
import { ResourceMatch } from './resource-match.ts';

const maxMessageBytes = 5 * 1024;

/** The reason for a denial. */
export interface PolicyDenial {
  readonly message: string;
  /** Index of the failed validation. @defaultValue 0 */
  readonly index?: number;
  readonly reason?: string;
  /**
   * True if the request is denied regardless of the binding's actions, because an audit annotation could not be
   * computed.
   */
  readonly always?: boolean;
}

/** The result of a policy for one parameter. */
export interface PolicyResult {
  readonly denials: readonly PolicyDenial[];
  /** Annotations for the audit event. */
  readonly annotations: readonly { readonly key: string; readonly value: string }[];
}

interface Compiled {
  readonly variables: readonly PolicyVariable[];
  readonly conditions: readonly (CelExpression | Error)[];
  readonly validations: readonly {
    readonly rule: PolicyValidation;
    readonly holds: CelExpression | Error;
    readonly message: CelExpression | Error | undefined;
  }[];
  readonly annotations: readonly {
    readonly key: string;
    readonly source: string;
    readonly value: CelExpression | Error;
  }[];
}

/** A ValidatingAdmissionPolicy; its expressions are compiled on first use. */
export class ValidatingPolicy {
  readonly name: string;
  readonly spec: PolicyObject['spec'];
  readonly match: ResourceMatch;
  readonly #environment: CelEnvironment;
  #compiled: Compiled | undefined;

  constructor({ metadata, spec }: PolicyObject, environment: CelEnvironment) {
    this.name = metadata.name;
    this.spec = spec;
    this.match = new ResourceMatch(spec.matchConstraints ?? {}, { id: metadata.name, environment });
    this.#environment = environment;
  }

  /** True if a failed expression or an invalid configuration denies requests. */
  get failsClosed(): boolean {
    return this.spec.failurePolicy !== 'Ignore';
  }

  /** Evaluates the policy with one parameter. Mirrors `validator.Validate` (1.36). */
  async evaluate(values: PolicyValues, access: ConditionAccess): Promise<PolicyResult> {
    this.#compiled ??= this.#compile();
    const compiled = this.#compiled;
    const { variables } = compiled;
    try {
      const conditions = new PolicyScope(values, { access, variables, budget: { remaining: conditionsBudget } });
      const matches = await conditionsHold(compiled.conditions, this.spec.matchConditions ?? [], conditions);
      if (matches === false) return { denials: [], annotations: [] };
      if (matches !== true) return { denials: this.#failure(matches), annotations: [] };
      const scope = new PolicyScope(values, { access, variables, budget: { remaining: policyBudget } });
      const denials: PolicyDenial[] = [];
      const results: unknown[] = [];
      for (const { holds } of compiled.validations) results.push(await scope.evaluate(holds));
      // Messages are evaluated last, so that they do not use up the budget of the rules.
      for (const [index, one] of compiled.validations.entries()) {
        for (const denial of await this.#denialOf(one, results[index], scope)) denials.push({ ...denial, index });
      }
      const annotating = new PolicyScope(values, { access, variables, budget: { remaining: policyBudget } });
      const annotations: { key: string; value: string }[] = [];
      for (const one of compiled.annotations) {
        const found = await this.#annotation(one, annotating);
        if (typeof found !== 'string') denials.push(...found);
        else if (found !== '') annotations.push({ key: one.key, value: found });
      }
      return { denials, annotations };
    } catch (error) {
      if (error instanceof PolicyBudgetError) return { denials: this.#failure(error.message), annotations: [] };
      throw error;
    }
  }

  #compile(): Compiled {
    const { variables: declared = [], matchConditions = [], validations = [], auditAnnotations = [] } = this.spec;
    const environment = this.#environment;
    const variables: PolicyVariable[] = [];
    const compile = (source: string): CelExpression | Error =>
      compilePolicyExpression(source, { environment, variables });
    // Each variable can refer to earlier variables.
    for (const { name, expression } of declared) variables.push({ name, compiled: compile(expression) });
    return {
      variables,
      conditions: matchConditions.map(({ expression }) => compile(expression)),
      validations: validations.map((rule) => ({
        rule,
        holds: compile(rule.expression),
        message: rule.messageExpression?.trim() ? compile(rule.messageExpression) : undefined,
      })),
      annotations: auditAnnotations.map(({ key, valueExpression: source }) => ({
        key,
        source,
        value: compile(source),
      })),
    };
  }

  #failure(message: string): readonly PolicyDenial[] {
    return this.failsClosed ? [{ message }] : [];
  }

  async #denialOf(
    { rule, message: expression }: Compiled['validations'][number],
    result: unknown,
    scope: PolicyScope,
  ): Promise<readonly PolicyDenial[]> {
    if (result === true) return [];
    if (result instanceof Error) return this.#failure(faultOf(rule.expression, result));
    const written = expression === undefined ? '' : await messageOf(expression, scope);
    const message = written || (rule.message ?? '').trim() || `failed expression: ${rule.expression.trim()}`;
    return [{ message, reason: rule.reason ?? 'Invalid' }];
  }

  /**
   * Returns the value of an audit annotation, or the denials if its evaluation fails. An empty value is not recorded.
   */
  async #annotation(
    { source, value }: Compiled['annotations'][number],
    scope: PolicyScope,
  ): Promise<string | readonly PolicyDenial[]> {
    const result = await scope.evaluate(value);
    if (result instanceof Error) return this.failsClosed ? [{ message: faultOf(source, result), always: true }] : [];
    if (result === null || typeof result === 'string') return (result ?? '').trim();
    const message = `valueExpression '${source}' resulted in unsupported return type: ${typeof result}. Return type must be either string or null.`;
    return [{ message, always: true }];
  }
}

/**
 * Returns the text of a message expression, or an empty string if it cannot be used. A message expression that exceeds the budget
 * does not change the denial; kube-apiserver would apply the failure policy.
 */
async function messageOf(expression: CelExpression | Error, scope: PolicyScope): Promise<string> {
  try {
    const result = await scope.evaluate(expression);
    const text = typeof result === 'string' ? result.trim() : '';
    return text.includes('\n') || Buffer.byteLength(text) > maxMessageBytes ? '' : text;
  } catch (error) {
    if (error instanceof PolicyBudgetError) return '';
    throw error;
  }
}
