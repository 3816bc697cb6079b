import { sameJson } from '@kubewright/apimachinery/internal';
import type { AdmissionAttributes, AdmissionPlugin } from '../admission-plugin.ts';
import type { Reinvocation } from '../reinvocation.ts';
import { callHook, type HookCallServices, type HookRequest, observed } from './hook-call.ts';
import { HookMatcher } from './hook-matcher.ts';
import { applyHookPatch } from './hook-patch.ts';
import { isExempt } from './is-exempt.ts';
import { MutatingReview } from './mutating-review.ts';
import { ReinvocationMemory } from './reinvocation-memory.ts';
import { copyOf, type Version, type VersionedObjects } from './reviewed-request.ts';
import { rejectionOf } from './validating-webhooks.ts';
import type { Webhook } from './webhook.ts';
import { annotateMutation } from './webhook-annotations.ts';
import type { WebhookPluginOptions } from './webhook-plugin-options.ts';

/**
 * Calls mutating webhooks one after the other; each gets the result of the previous webhook (`MutatingAdmissionWebhook`, 1.36).
 */
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
    // A deletion is reviewed later, when its object is known.
    if (attributes.operation === 'DELETE' && attributes.oldObject === undefined) return;
    const memory = reinvocation.note(this, () => new ReinvocationMemory());
    if (reinvocation.repeated && !sameJson(memory.lastOutput, attributes.object)) memory.requireAll();
    const review = new MutatingReview(attributes);
    for (const [index, hook] of webhooks.entries()) await this.#visit(hook, { review, memory, reinvocation, index });
    await review.finish();
    // The second pass compares this object with the output of the server's own plugins.
    if (reinvocation.requested && !reinvocation.repeated)
      memory.lastOutput = attributes.object && copyOf(attributes.object);
  }

  async #visit(
    hook: Webhook,
    pass: {
      readonly review: MutatingReview;
      readonly memory: ReinvocationMemory;
      readonly reinvocation: Reinvocation;
      readonly index: number;
    },
  ): Promise<void> {
    const { review, memory, reinvocation, index } = pass;
    const { attributes } = review;
    const objectsIn = (version: Version): Promise<VersionedObjects> => review.in(version);
    const version = await this.#matcher.match(hook, { attributes, current: review.objects, objectsIn });
    // The second pass calls only webhooks that ran before the object changed.
    if (version === undefined || (reinvocation.repeated && !memory.isRequired(hook.id))) return;
    const objects = await review.in(version);
    const { spec, configuration } = hook;
    const place = { configuration, round: reinvocation.repeated ? 1 : 0, index } as const;
    const hookRequest: HookRequest = { hook: spec, attributes, version, objects, mutating: true, ...place };
    let changed: boolean | undefined;
    try {
      changed = await observed(hookRequest, this.#services, async () => {
        const response = await callHook(hookRequest, this.#services);
        return review.take(applyHookPatch(hookRequest, response), version);
      });
    } catch (error) {
      throw rejectionOf(error);
    } finally {
      annotateMutation(hookRequest, changed === true);
    }
    if (changed === true) {
      memory.requireAll();
      reinvocation.requested = true;
    }
    if (hook.spec.reinvocationPolicy === 'IfNeeded') memory.invoked(hook.id);
  }
}
