import { type Clock, forbidden, StatusError, type StatusReason } from '@kubewright/apimachinery';
import type { AdmissionAttributes, AdmissionPlugin } from '../admission-plugin.ts';
import { ConditionAccess } from '../condition-access.ts';
import { admissionRequest } from '../webhooks/admission-review.ts';
import { HookMatcher, type HookMatcherOptions, type MatchInput } from '../webhooks/hook-matcher.ts';
import { requestVersion, type Version } from '../webhooks/reviewed-request.ts';
import { viewIn } from '../webhooks/validating-webhooks.ts';
import { isExemptFromPolicies } from './is-exempt-from-policies.ts';
import { nameShown } from './name-shown.ts';
import { namespaceSeen } from './namespace-seen.ts';
import { annotateFailure, PolicyAnnotations } from './policy-annotations.ts';
import { PolicyConfigurationError } from './policy-params.ts';
import type { PolicyBinding, PolicySource } from './policy-source.ts';
import type { PolicyObject } from './policy-types.ts';
import type { PolicyDenial, ValidatingPolicy } from './validating-policy.ts';

/** Options for {@link ValidatingPolicies}. */
export interface ValidatingPoliciesOptions extends Omit<HookMatcherOptions, 'type'> {
  readonly source: PolicySource<PolicyObject, ValidatingPolicy>;
  readonly clock: Clock;
}

interface Denied extends PolicyDenial {
  readonly policy: ValidatingPolicy;
  readonly binding?: PolicyBinding;
}

const codes: Readonly<Record<string, number>> = { Forbidden: 403, Unauthorized: 401, RequestEntityTooLarge: 413 };

/** Evaluates the stored policies; the first denial is the result (`ValidatingAdmissionPolicy`, 1.36). */
export class ValidatingPolicies implements AdmissionPlugin {
  readonly name = 'ValidatingAdmissionPolicy';
  readonly #options: ValidatingPoliciesOptions;
  readonly #matcher: HookMatcher;

  constructor(options: ValidatingPoliciesOptions) {
    this.#options = options;
    this.#matcher = new HookMatcher({ ...options, type: 'validating' });
  }

  async validate(attributes: AdmissionAttributes): Promise<void> {
    const { bound } = this.#options.source;
    if (bound.length === 0 || isExemptFromPolicies(attributes)) return;
    const input: MatchInput = {
      attributes,
      current: attributes,
      objectsIn: (version) => viewIn(version, requestVersion(attributes), attributes),
    };
    const denied: Denied[] = [];
    for (const [policy, bindings] of bound) {
      const version = await policy.match.version(this.#matcher, input);
      if (version === undefined) continue;
      const annotations = new PolicyAnnotations();
      for (const binding of bindings) {
        denied.push(...(await this.#apply({ policy, binding, version, input, annotations })));
      }
      annotations.publish(policy.name, attributes);
    }
    if (denied[0]) throw rejection(attributes, denied[0]);
  }

  async #apply(call: {
    readonly policy: ValidatingPolicy;
    readonly binding: PolicyBinding;
    readonly version: Version;
    readonly input: MatchInput;
    readonly annotations: PolicyAnnotations;
  }): Promise<readonly Denied[]> {
    const { policy, binding, version, input, annotations } = call;
    const { attributes } = input;
    if (binding.match && (await binding.match.version(this.#matcher, input)) === undefined) return [];
    const found = this.#options.source.params(this.#options);
    let where: 'binding' | 'policy' = 'policy';
    try {
      const definition = found.definition(policy.spec.paramKind);
      where = 'binding';
      const params = await found.collect(definition, binding.spec.paramRef, attributes.namespace);
      const { object, oldObject } = await input.objectsIn(version);
      const shared = {
        object: object ?? null,
        oldObject: oldObject ?? null,
        request: admissionRequest(attributes, version),
        namespaceObject: (await namespaceSeen(attributes, this.#options.read)) ?? null,
      };
      const access = new ConditionAccess(attributes, this.#options.authorizer);
      const denials: PolicyDenial[] = [];
      for (const param of params) {
        const result = await policy.evaluate({ ...shared, params: param }, access);
        denials.push(...result.denials);
        for (const { key, value } of result.annotations) annotations.add(key, value);
      }
      return denials.flatMap((denial) => this.#act(denial, { policy, binding, attributes }));
    } catch (error) {
      if (!(error instanceof PolicyConfigurationError)) throw error;
      if (!policy.failsClosed) return [];
      const denial = { policy, message: `failed to configure ${where}: ${error.message}` };
      return [where === 'binding' ? { ...denial, binding } : denial];
    }
  }

  /** Applies the binding's actions to a denial. */
  #act(
    denial: PolicyDenial,
    call: {
      readonly policy: ValidatingPolicy;
      readonly binding: PolicyBinding;
      readonly attributes: AdmissionAttributes;
    },
  ): readonly Denied[] {
    const { policy, binding, attributes } = call;
    const { validationActions = [] } = binding.spec;
    if (!denial.always && validationActions.includes('Warn')) {
      const names = `ValidatingAdmissionPolicy '${policy.name}' with binding '${binding.name}'`;
      attributes.warn(`Validation failed for ${names}: ${denial.message}`);
    }
    if (!denial.always && validationActions.includes('Audit')) {
      const { message, index = 0 } = denial;
      const failure = { policy: policy.name, binding: binding.name, message, index, actions: validationActions };
      annotateFailure(attributes, failure);
    }
    return denial.always || validationActions.includes('Deny') ? [{ ...denial, policy, binding }] : [];
  }
}

function rejection(attributes: AdmissionAttributes, denied: Denied): StatusError {
  const { definition } = attributes;
  const { policy, binding, message, reason = 'Invalid' } = denied;
  const where = binding ? ` with binding '${binding.name}'` : '';
  const text = `ValidatingAdmissionPolicy '${policy.name}'${where} denied request: ${message}`;
  const { status } = forbidden(definition, nameShown(attributes), text);
  const details = { ...status.details, causes: [{ message: text }] };
  // Validated on write.
  return new StatusError({ ...status, reason: reason as StatusReason, code: codes[reason] ?? 422, details });
}
