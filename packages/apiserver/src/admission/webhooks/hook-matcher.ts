import { forbidden, type KubernetesObject, notFound } from '@kubewright/apimachinery';
import type { Authorizer } from '../../authorization/authorizer.ts';
import type { ResourceCatalog } from '../../registry/index.ts';
import type { Draft } from '../../registry/strategy.ts';
import type { AdmissionAttributes } from '../admission-plugin.ts';
import { ConditionAccess } from '../condition-access.ts';
import type { ReadObject } from '../object-reader.ts';
import { admissionRequest } from './admission-review.ts';
import {
  equivalentVersions,
  namespaceOf,
  requestVersion,
  type Version,
  type VersionedObjects,
} from './reviewed-request.ts';
import { ruleMatches } from './rule-match.ts';
import type { Webhook } from './webhook.ts';
import type { WebhookMetrics } from './webhook-metrics.ts';

/** Options for {@link HookMatcher}. */
export interface HookMatcherOptions {
  readonly catalog: ResourceCatalog;
  /** Reads namespaces. */
  readonly read: ReadObject;
  /** The authorizer available to conditions. */
  readonly authorizer: Authorizer;
  readonly metrics: WebhookMetrics;
  readonly type: 'admit' | 'validating';
}

/** A request to match against webhooks. */
export interface MatchInput {
  readonly attributes: AdmissionAttributes;
  /** The current objects, for selectors. */
  readonly current: VersionedObjects;
  /** Returns the objects in another version, for conditions. */
  objectsIn(version: Version): Promise<VersionedObjects>;
}

/** Decides which webhooks are called for a request, and in which version the request is sent (`ShouldCallHook`, 1.36). */
export class HookMatcher {
  readonly #options: HookMatcherOptions;

  constructor(options: HookMatcherOptions) {
    this.#options = options;
  }

  /**
   * Returns the version in which a webhook gets a request, or undefined if the webhook is not called.
   *
   * @throws StatusError 403 when a condition fails and the failure policy is Fail, 404 when the namespace does not exist
   */
  async match(hook: Webhook, input: MatchInput): Promise<Version | undefined> {
    const { attributes, current } = input;
    const labels = await this.#namespaceLabels(hook, attributes);
    if (labels !== undefined && labels !== 'missing' && !hook.namespaceSelector.matches(labels)) return undefined;
    if (!objectSelected(hook, current)) return undefined;
    const version = this.#version(hook, attributes);
    if (version === undefined) return undefined;
    if (labels === 'missing') throw notFound({ group: '', resource: 'namespaces' }, attributes.namespace);
    if (hook.conditions.isEmpty) return version;
    return (await this.#conditionsHold(hook, input, version)) ? version : undefined;
  }

  /** Returns the labels for the namespace selector; `undefined` if no selector applies. */
  async #namespaceLabels(hook: Webhook, attributes: AdmissionAttributes) {
    const { definition, subresource, operation, namespace, object } = attributes;
    const isNamespace = definition.resource === 'namespaces';
    if (hook.namespaceSelector.isEmpty || (namespaceOf(attributes) === '' && !isNamespace)) return undefined;
    // A namespace that is being written does not exist yet, or its stored labels are about to change.
    if (isNamespace && subresource === '' && (operation === 'CREATE' || operation === 'UPDATE')) {
      return object?.metadata.labels ?? {};
    }
    const name = isNamespace ? attributes.name : namespace;
    const stored = await this.#options.read({ group: '', resource: 'namespaces', name });
    return stored === undefined ? 'missing' : (stored.metadata.labels ?? {});
  }

  #version({ spec }: Webhook, attributes: AdmissionAttributes): Version | undefined {
    const { operation, subresource } = attributes;
    const namespace = namespaceOf(attributes);
    const own = requestVersion(attributes);
    const seen = (rule: (typeof rules)[number], { definition }: Version): boolean => {
      const { group, version, resource } = definition;
      return ruleMatches(rule, { operation, group, version, resource, subresource, namespace });
    };
    const { rules = [] } = spec;
    if (rules.some((rule) => seen(rule, own))) return own;
    if (spec.matchPolicy !== 'Equivalent') return undefined;
    const others = equivalentVersions(this.#options.catalog, attributes);
    for (const rule of rules) {
      const found = others.find((other) => seen(rule, other));
      if (found !== undefined) return found;
    }
    return undefined;
  }

  async #conditionsHold(hook: Webhook, input: MatchInput, version: Version): Promise<boolean> {
    const { attributes } = input;
    const { metrics, type } = this.#options;
    const { object, oldObject } = await input.objectsIn(version);
    const request = admissionRequest(attributes, version);
    const access = new ConditionAccess(attributes, this.#options.authorizer);
    const seen = { object: object ?? null, oldObject: oldObject ?? null, request, access };
    const result = await hook.conditions.evaluate(seen);
    const { name } = hook.spec;
    if (result.matches === true) return true;
    if (result.matches === false) {
      metrics.excluded({ name, type, operation: attributes.operation });
      return false;
    }
    metrics.conditionFailed({ name, type, operation: attributes.operation });
    if (hook.spec.failurePolicy === 'Ignore') return false;
    const [first = '', ...more] = result.faults;
    const why = more.length === 0 ? first : `[${result.faults.join(', ')}]`;
    throw forbidden(attributes.definition, attributes.name, why);
  }
}

function objectSelected({ objectSelector }: Webhook, { object, oldObject }: VersionedObjects): boolean {
  if (objectSelector.isEmpty) return true;
  const selected = (one: Draft | KubernetesObject | undefined): boolean =>
    one !== undefined && objectSelector.matches(one.metadata?.labels ?? {});
  return selected(object) || selected(oldObject);
}
