import { webhookFault } from '../../webhooks/webhook-fault.ts';
import type { AdmissionAttributes, AdmissionPlugin } from '../admission-plugin.ts';
import { callHook, type HookCallServices, type HookRequest, observed } from './hook-call.ts';
import { HookMatcher } from './hook-matcher.ts';
import { isExempt } from './is-exempt.ts';
import { convertBody, requestVersion, type Version, type VersionedObjects } from './reviewed-request.ts';
import { WebhookFailure } from './webhook-failure.ts';
import type { WebhookPluginOptions } from './webhook-plugin-options.ts';

/** Calls validating webhooks in parallel; the first denial in their order wins (`ValidatingAdmissionWebhook`, 1.36). */
export class ValidatingWebhooks implements AdmissionPlugin {
  readonly name = 'ValidatingAdmissionWebhook';
  readonly #options: WebhookPluginOptions;
  readonly #matcher: HookMatcher;
  readonly #services: HookCallServices;

  constructor(options: WebhookPluginOptions) {
    this.#options = options;
    this.#services = options;
    this.#matcher = new HookMatcher({ ...options, type: 'validating' });
  }

  async validate(attributes: AdmissionAttributes): Promise<void> {
    const { webhooks } = this.#options.source;
    if (webhooks.length === 0 || isExempt(attributes)) return;
    const views = new VersionViews(attributes);
    const hookRequests: HookRequest[] = [];
    for (const hook of webhooks) {
      const objectsIn = (version: Version): Promise<VersionedObjects> => views.in(version);
      const version = await this.#matcher.match(hook, { attributes, current: attributes, objectsIn });
      if (version === undefined) continue;
      const objects = await views.in(version);
      const { spec, configuration } = hook;
      const place = { configuration, round: 0, index: hookRequests.length } as const;
      hookRequests.push({ hook: spec, attributes, version, objects, mutating: false, ...place });
    }
    const outcomes = await Promise.allSettled(
      hookRequests.map((each) => observed(each, this.#services, () => callHook(each, this.#services))),
    );
    for (const outcome of outcomes) {
      if (outcome.status === 'rejected') throw rejectionOf(outcome.reason);
    }
  }
}

/** Returns the error that an API client gets for a failed webhook. */
export function rejectionOf(error: unknown): unknown {
  return error instanceof WebhookFailure ? webhookFault(error.message, error) : error;
}

/** The objects of a request, converted once per version. */
class VersionViews {
  readonly #attributes: AdmissionAttributes;
  readonly #views = new Map<string, Promise<VersionedObjects>>();

  constructor(attributes: AdmissionAttributes) {
    this.#attributes = attributes;
  }

  in(version: Version): Promise<VersionedObjects> {
    const { group, version: name, kind } = version.type;
    const key = `${group}/${name}/${kind}`;
    let view = this.#views.get(key);
    if (view === undefined) {
      view = viewIn(version, requestVersion(this.#attributes), this.#attributes);
      this.#views.set(key, view);
    }
    return view;
  }
}

/** Converts both objects of a request to another version. */
export async function viewIn(to: Version, from: Version, objects: VersionedObjects): Promise<VersionedObjects> {
  if (to.type.group === from.type.group && to.type.version === from.type.version) return objects;
  try {
    const { object, oldObject } = objects;
    const converted = object && (await convertBody(object, from, to));
    // A draft has all fields of an object.
    const old = oldObject && (await convertBody(oldObject as unknown as NonNullable<typeof object>, from, to));
    return { object: converted, oldObject: old as unknown as VersionedObjects['oldObject'] };
  } catch (cause) {
    throw webhookFault(cause instanceof Error ? cause.message : String(cause), cause);
  }
}
