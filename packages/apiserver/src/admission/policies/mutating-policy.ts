import { applyJsonPatch, JsonPatchError } from '@kubewright/apimachinery';
import { type CelEnvironment, CelEvaluationError, type CelExpression } from '@kubewright/schema';
import { decodeValue, strictDecodingMessage } from '@kubewright/schema/internal';
import type { Draft } from '../../registry/strategy.ts';
import { webhookFault } from '../../webhooks/webhook-fault.ts';
import type { ConditionAccess } from '../condition-access.ts';
import { copyOf, type Version } from '../webhooks/reviewed-request.ts';
import { mergeConfiguration } from './merge-configuration.ts';
import { MutationError } from './mutation-error.ts';
import { conditionsBudget, conditionsHold, faultOf } from './policy-conditions.ts';
import {
  compilePolicyExpression,
  PolicyBudgetError,
  PolicyScope,
  type PolicyValues,
  type PolicyVariable,
  policyBudget,
} from './policy-expression.ts';
import type { MutatingPolicyObject, PolicyMutation } from './policy-types.ts';
import { ResourceMatch } from './resource-match.ts';

interface Compiled {
  readonly variables: readonly PolicyVariable[];
  readonly conditions: readonly (CelExpression | Error)[];
  readonly mutations: readonly { readonly mutation: PolicyMutation; readonly patch: CelExpression | Error }[];
}

/** The input of one evaluation. */
export interface MutationInput {
  readonly values: Omit<PolicyValues, 'object'>;
  readonly access: ConditionAccess;
  readonly version: Version;
}

/** A MutatingAdmissionPolicy; its expressions are compiled on first use. */
export class MutatingPolicy {
  readonly name: string;
  readonly spec: MutatingPolicyObject['spec'];
  readonly match: ResourceMatch;
  readonly #environment: CelEnvironment;
  #compiled: Compiled | undefined;

  constructor({ metadata, spec }: MutatingPolicyObject, environment: CelEnvironment) {
    this.name = metadata.name;
    this.spec = spec;
    this.match = new ResourceMatch(spec.matchConstraints ?? {}, { id: metadata.name, environment });
    this.#environment = environment;
  }

  /** True if a failed expression or an invalid configuration rejects requests. */
  get failsClosed(): boolean {
    return this.spec.failurePolicy !== 'Ignore';
  }

  /** The number of mutations. */
  get size(): number {
    return this.spec.mutations.length;
  }

  /** Returns true if the match conditions hold. @throws MutationError if a condition cannot be evaluated */
  async holds(object: Draft | undefined, input: MutationInput): Promise<boolean> {
    const { conditions } = this.#program();
    try {
      const scope = this.#scope(object, input, conditionsBudget);
      const holds = await conditionsHold(conditions, this.spec.matchConditions ?? [], scope);
      if (typeof holds === 'string') throw new MutationError(holds);
      return holds;
    } catch (error) {
      throw error instanceof PolicyBudgetError ? new MutationError(error.message) : error;
    }
  }

  /**
   * Returns the result of one mutation as JSON, or the object itself if nothing changes. The object is not modified.
   *
   * @throws MutationError
   */
  async mutated(index: number, object: Draft, input: MutationInput): Promise<unknown> {
    const { mutation, patch } = this.#program().mutations[index] as Compiled['mutations'][number];
    const isPatch = mutation.patchType === 'JSONPatch';
    const { expression } = isPatch ? mutation.jsonPatch : mutation.applyConfiguration;
    if (patch instanceof Error) throw new MutationError(`compilation failed: ${patch.message}`);
    const value = await this.#evaluate(patch, expression, this.#scope(object, input, policyBudget));
    if (!isPatch) return mergeConfiguration(object, value as Readonly<Record<string, unknown>>, input.version);
    const result = patched(object, value as readonly unknown[]);
    checkFields(result, input.version);
    return result;
  }

  async #evaluate(patch: CelExpression, source: string, scope: PolicyScope): Promise<unknown> {
    try {
      const result = await scope.evaluate(patch);
      if (result instanceof Error) throw new MutationError(faultOf(source, result));
      // A result that is not an error is a CEL value.
      return patch.toJson(result as Parameters<CelExpression['toJson']>[0]);
    } catch (error) {
      if (!(error instanceof PolicyBudgetError || error instanceof CelEvaluationError)) throw error;
      throw new MutationError(error.message, { cause: error });
    }
  }

  #scope(object: Draft | undefined, { values, access }: MutationInput, remaining: number): PolicyScope {
    const { variables } = this.#program();
    return new PolicyScope({ ...values, object: object ?? null }, { access, variables, budget: { remaining } });
  }

  #program(): Compiled {
    this.#compiled ??= this.#compile();
    return this.#compiled;
  }

  #compile(): Compiled {
    const { variables: declared = [], matchConditions = [], mutations, paramKind } = this.spec;
    const variables: PolicyVariable[] = [];
    const compile = (source: string): CelExpression | Error =>
      compilePolicyExpression(source, {
        environment: this.#environment,
        variables,
        params: paramKind !== undefined,
      });
    // Each variable can refer to earlier variables.
    for (const { name, expression } of declared) variables.push({ name, compiled: compile(expression) });
    return {
      variables,
      conditions: matchConditions.map(({ expression }) => compile(expression)),
      mutations: mutations.map((mutation) => ({
        mutation,
        patch: compile(
          mutation.patchType === 'JSONPatch' ? mutation.jsonPatch.expression : mutation.applyConfiguration.expression,
        ),
      })),
    };
  }
}

/** Applies a JSON patch. If a `test` fails, returns the object unchanged. */
function patched(object: Draft, operations: readonly unknown[]): unknown {
  try {
    return applyJsonPatch(copyOf(object), operations);
  } catch (cause) {
    if (!(cause instanceof JsonPatchError)) throw cause;
    if (/^testing (value|path) /.test(cause.message)) return object;
    throw new MutationError(`JSON Patch: ${cause.message.replace(/(path: )"([^"]*)"/, '$1$2')}`, { cause });
  }
}

/**
 * Rejects unknown fields, except in custom resources, where they are dropped later. @throws StatusError 500, as in
 * upstream
 */
function checkFields(value: unknown, { definition, type }: Version): void {
  if (definition.custom || type.kind !== definition.kind) return;
  const { unknownFields } = definition.decode?.(value, {}) ?? decodeValue(definition.schema, value, {});
  const message = strictDecodingMessage({ duplicates: [], format: 'json' }, unknownFields);
  if (message !== undefined) throw webhookFault(message);
}
