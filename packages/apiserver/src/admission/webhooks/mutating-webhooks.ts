import { sameJson } from '@kubewright/apimachinery/internal';
import type { Draft } from '../../registry/strategy.ts';
import { webhookFault } from '../../webhooks/webhook-fault.ts';
import type { AdmissionAttributes, AdmissionPlugin } from '../admission-plugin.ts';
import type { Reinvocation } from '../reinvocation.ts';
import { callHook, type HookCallServices, type HookRequest, observed } from './hook-call.ts';
import { HookMatcher } from './hook-matcher.ts';
import { applyHookPatch } from './hook-patch.ts';
import { isExempt } from './is-exempt.ts';
import { keepManagedFieldsValid } from './managed-fields-check.ts';
import { convertBody, copyOf, requestVersion, type Version, type VersionedObjects } from './reviewed-request.ts';
import { refusalOf, viewIn } from './validating-webhooks.ts';
import type { Webhook } from './webhook.ts';
import type { WebhookPluginOptions } from './webhook-plugin-options.ts';

/** Calls mutating webhooks one after the other; each sees the result of the previous one (`MutatingAdmissionWebhook`, 1.36). */
export class MutatingWebhooks implements AdmissionPlugin {
  readonly name = 'MutatingAdmissionWebhook';
  readonly #options: WebhookPluginOptions;
  readonly #matcher: HookMatcher;
  readonly #services: HookCallServices;

  constructor(options: WebhookPluginOptions) {
    this.#options = options;
    this.#services = options;
    this.#matcher = new HookMatcher({ ...options, type: 'admit' });
  }

  async mutate(attributes: AdmissionAttributes, reinvocation: Reinvocation): Promise<void> {
    const { webhooks } = this.#options.source;
    if (webhooks.length === 0 || isExempt(attributes)) return;
    // A deletion is reviewed once its object is known.
    if (attributes.operation === 'DELETE' && attributes.oldObject === undefined) return;
    const memory = reinvocation.note(this, () => new HookMemory());
    if (reinvocation.repeated && !sameJson(memory.lastOutput, attributes.object)) memory.requireAll();
    const review = new MutatingReview(attributes);
    for (const hook of webhooks) await this.#visit(hook, { review, memory, reinvocation });
    await review.finish();
    // The second pass compares this with the output of the server's own plugins.
    if (reinvocation.requested && !reinvocation.repeated)
      memory.lastOutput = attributes.object && copyOf(attributes.object);
  }

  async #visit(
    hook: Webhook,
    pass: { readonly review: MutatingReview; readonly memory: HookMemory; readonly reinvocation: Reinvocation },
  ): Promise<void> {
    const { review, memory, reinvocation } = pass;
    const { attributes } = review;
    const objectsIn = (version: Version): Promise<VersionedObjects> => review.in(version);
    const version = await this.#matcher.match(hook, { attributes, current: review.objects, objectsIn });
    // The second pass calls no webhook for the first time.
    if (version === undefined || (reinvocation.repeated && !memory.isRequired(hook.id))) return;
    const objects = await review.in(version);
    const question: HookRequest = { hook: hook.spec, attributes, version, objects, mutating: true };
    let changed: boolean | undefined;
    try {
      changed = await observed(question, this.#services, async () => {
        const response = await callHook(question, this.#services);
        return review.take(applyHookPatch(question, response), version);
      });
    } catch (error) {
      throw refusalOf(error);
    }
    if (changed === true) {
      memory.requireAll();
      reinvocation.requested = true;
    }
    if (hook.spec.reinvocationPolicy === 'IfNeeded') memory.invoked(hook.id);
  }
}

/** Tracks which webhooks were called, and which must be called again because the object changed after them. */
class HookMemory {
  lastOutput: unknown;
  #invoked = new Set<string>();
  readonly #required = new Set<string>();

  invoked(id: string): void {
    this.#invoked.add(id);
  }

  requireAll(): void {
    for (const id of this.#invoked) this.#required.add(id);
    this.#invoked = new Set();
  }

  isRequired(id: string): boolean {
    return this.#required.has(id);
  }
}

/** A request's objects as they pass through webhooks that see different versions. */
class MutatingReview {
  readonly attributes: AdmissionAttributes;
  #version: Version;
  #objects: VersionedObjects;
  #dirty = false;

  constructor(attributes: AdmissionAttributes) {
    this.attributes = attributes;
    this.#version = requestVersion(attributes);
    this.#objects = attributes;
  }

  get objects(): VersionedObjects {
    return this.#objects;
  }

  /** Converts the current objects to a version. */
  async in(version: Version): Promise<VersionedObjects> {
    this.#objects = await viewIn(version, this.#version, this.#objects);
    this.#version = version;
    return this.#objects;
  }

  /** Stores a webhook's result, if any. Returns true if it changed the object. */
  take(made: { readonly object: Draft; readonly changed: boolean } | undefined, version: Version): boolean {
    if (made === undefined) return false;
    this.#objects = { object: made.object, oldObject: this.#objects.oldObject };
    this.#version = version;
    this.#dirty = true;
    return made.changed;
  }

  /** Copies the result into the request's own object. */
  async finish(): Promise<void> {
    const { object: target } = this.attributes;
    const { object } = this.#objects;
    if (!this.#dirty || target === undefined || object === undefined) return;
    const own = requestVersion(this.attributes);
    const before = target.metadata?.['managedFields'];
    let result: Draft;
    try {
      result = await convertBody(object, this.#version, own);
    } catch (cause) {
      throw webhookFault(cause instanceof Error ? cause.message : String(cause), cause);
    }
    for (const field of Object.keys(target)) delete target[field];
    Object.assign(target, result);
    keepManagedFieldsValid(target, { before, warn: this.attributes.warn });
  }
}
