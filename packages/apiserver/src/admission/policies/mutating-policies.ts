import { type Clock, forbidden, notFound, StatusError } from '@kubewright/apimachinery';
import { sameJson } from '@kubewright/apimachinery/internal';
import type { AdmissionAttributes, AdmissionPlugin } from '../admission-plugin.ts';
import { ConditionAccess } from '../condition-access.ts';
import type { Reinvocation } from '../reinvocation.ts';
import { admissionRequest } from '../webhooks/admission-review.ts';
import { HookMatcher, type HookMatcherOptions, type MatchInput } from '../webhooks/hook-matcher.ts';
import { decodePatched } from '../webhooks/hook-patch.ts';
import { MutatingReview } from '../webhooks/mutating-review.ts';
import { ReinvocationMemory } from '../webhooks/reinvocation-memory.ts';
import { copyOf, type Version } from '../webhooks/reviewed-request.ts';
import { isExemptFromPolicies } from './is-exempt-from-policies.ts';
import type { MutatingPolicy, MutationInput } from './mutating-policy.ts';
import { MutationError } from './mutation-error.ts';
import { nameShown } from './name-shown.ts';
import { namespaceSeen } from './namespace-seen.ts';
import { PolicyConfigurationError } from './policy-params.ts';
import type { PolicyBinding, PolicySource } from './policy-source.ts';
import type { MutatingPolicyObject } from './policy-types.ts';

/** Options for {@link MutatingPolicies}. */
export interface MutatingPoliciesOptions extends Omit<HookMatcherOptions, 'type'> {
  readonly source: PolicySource<MutatingPolicyObject, MutatingPolicy>;
  readonly clock: Clock;
}

/** A policy to evaluate for a binding and one of its parameters. */
interface Invocation {
  readonly policy: MutatingPolicy;
  readonly binding: PolicyBinding;
  readonly version: Version;
  readonly param: Awaited<ReturnType<ReturnType<MutatingPoliciesOptions['source']['params']>['collect']>>[number];
}

interface Failure {
  readonly policy: MutatingPolicy;
  readonly binding?: PolicyBinding;
  readonly message: string;
  /** Reason of the response: `Invalid` if an expression failed, `Forbidden` if the policy cannot be configured. */
  readonly reason: 'Invalid' | 'Forbidden';
}

/**
 * Evaluates the stored policies one after the other; each gets the result of the previous policy (`MutatingAdmissionPolicy`,
 * 1.36).
 */
export class MutatingPolicies implements AdmissionPlugin {
  readonly name = 'MutatingAdmissionPolicy';
  readonly #options: MutatingPoliciesOptions;
  readonly #matcher: HookMatcher;

  constructor(options: MutatingPoliciesOptions) {
    this.#options = options;
    this.#matcher = new HookMatcher({ ...options, type: 'admit' });
  }

  async mutate(attributes: AdmissionAttributes, reinvocation: Reinvocation): Promise<void> {
    const { bound } = this.#options.source;
    if (bound.length === 0 || attributes.operation === 'DELETE' || isExemptFromPolicies(attributes)) return;
    const failures: Failure[] = [];
    const invocations = await this.#invocations(attributes, failures);
    if (invocations.length > 0) {
      await this.#run(invocations, { attributes, reinvocation, failures });
    }
    const denied = failures.filter(({ policy }) => policy.failsClosed);
    if (denied.length > 0) throw rejection(attributes, denied);
  }

  /** Returns the policies that apply to the original request, with their bindings and parameters. */
  async #invocations(attributes: AdmissionAttributes, failures: Failure[]): Promise<readonly Invocation[]> {
    const review = new MutatingReview(attributes);
    const input: MatchInput = { attributes, current: attributes, objectsIn: (version) => review.in(version) };
    const params = this.#options.source.params(this.#options);
    const found: Invocation[] = [];
    for (const [policy, bindings] of this.#options.source.bound) {
      const version = await policy.match.version(this.#matcher, input);
      if (version === undefined) continue;
      for (const binding of bindings) {
        if (binding.match && (await binding.match.version(this.#matcher, input)) === undefined) continue;
        let where: 'binding' | 'policy' = 'policy';
        try {
          const definition = params.definition(policy.spec.paramKind);
          where = 'binding';
          const list = await params.collect(definition, binding.spec.paramRef, attributes.namespace);
          for (const param of list) found.push({ policy, binding, version, param });
        } catch (error) {
          if (!(error instanceof PolicyConfigurationError)) throw error;
          const failure = {
            policy,
            message: `failed to configure ${where}: ${error.message}`,
            reason: 'Forbidden',
          } as const;
          failures.push(where === 'binding' ? { ...failure, binding } : failure);
          if (where === 'policy') break;
        }
      }
    }
    return found;
  }

  async #run(
    invocations: readonly Invocation[],
    pass: {
      readonly attributes: AdmissionAttributes;
      readonly reinvocation: Reinvocation;
      readonly failures: Failure[];
    },
  ): Promise<void> {
    const { attributes, reinvocation, failures } = pass;
    const memory = reinvocation.note(this, () => new ReinvocationMemory());
    if (reinvocation.repeated && !sameJson(memory.lastOutput, attributes.object)) memory.requireAll();
    const namespaceObject = await namespaceSeen(attributes, this.#options.read);
    const isNamespace = attributes.definition.group === '' && attributes.definition.resource === 'namespaces';
    if (!namespaceObject && attributes.namespace !== '' && !isNamespace) {
      throw notFound({ group: '', resource: 'namespaces' }, attributes.namespace);
    }
    const access = new ConditionAccess(attributes, this.#options.authorizer);
    const review = new MutatingReview(attributes);
    for (const invocation of invocations) {
      const { oldObject } = await review.in(invocation.version);
      const { version, param } = invocation;
      const request = admissionRequest(attributes, version);
      const values = { oldObject: oldObject ?? null, request, params: param, namespaceObject: namespaceObject ?? null };
      await this.#invoke(invocation, { review, memory, reinvocation, failures, input: { values, access, version } });
    }
    await review.finish();
    memory.lastOutput = attributes.object && copyOf(attributes.object);
  }

  async #invoke(
    { policy, binding, version, param }: Invocation,
    pass: {
      readonly review: MutatingReview;
      readonly memory: ReinvocationMemory;
      readonly reinvocation: Reinvocation;
      readonly failures: Failure[];
      readonly input: MutationInput;
    },
  ): Promise<void> {
    const { review, memory, reinvocation, failures, input } = pass;
    const guarded = async (step: () => Promise<boolean>): Promise<boolean> => {
      try {
        return await step();
      } catch (error) {
        if (!(error instanceof MutationError)) throw error;
        failures.push({ policy, binding, message: error.message, reason: 'Invalid' });
        return false;
      }
    };
    if (!(await guarded(() => policy.holds(review.objects.object, input)))) return;
    const id = JSON.stringify([policy.name, binding.name, param?.metadata.namespace, param?.metadata.name]);
    if (reinvocation.repeated && !memory.isRequired(id)) return;
    for (let index = 0; index < policy.size; index++) {
      await guarded(async () => {
        const { object } = review.objects;
        if (object === undefined) return false;
        const result = decodePatched(await policy.mutated(index, object, input), version);
        if (version.type.kind === version.definition.kind) version.definition.strategy.applyDefaults?.(result);
        review.take({ object: result, changed: true }, version);
        memory.requireAll();
        reinvocation.requested = true;
        return true;
      });
    }
    if (policy.spec.reinvocationPolicy === 'IfNeeded') memory.invoked(id);
  }
}

/**
 * Builds the error for a request that policies reject. The message is the first failure; the causes list all failures.
 */
function rejection(attributes: AdmissionAttributes, failures: readonly Failure[]): StatusError {
  const messages = failures.map(({ policy, binding, message }) =>
    binding
      ? `policy '${policy.name}' with binding '${binding.name}' denied request: ${message}`
      : `policy ${JSON.stringify(policy.name)} denied request: ${message}`,
  );
  const { status } = forbidden(attributes.definition, nameShown(attributes), '');
  const details = { ...status.details, causes: messages.map((message) => ({ message })) };
  const reason = failures[0]?.reason ?? 'Forbidden';
  return new StatusError({ ...status, message: messages[0] ?? '', reason, details });
}
