import { createJsonPatch, type Kind, type KubernetesObject } from '@kubewright/apimachinery';
import type { AdmissionContext } from './admission-context.ts';
import { type AdmissionRequest, type AdmissionResponse, allowed, patched } from './admission-review.ts';
import { reviewedObject } from './reviewed-object.ts';
import { type AdmissionWebhook, ruleFor, type WebhookRegistration, webhookPath } from './webhook-definition.ts';

/** Options for {@link defaulter}. */
export interface DefaulterOptions extends WebhookRegistration {
  /** @defaultValue `/mutate-<group with dashes>-<version>-<kind>` */
  readonly path?: string;
}

/**
 * Declares how to set defaults on objects of a kind before they are stored (controller-runtime's `Defaulter`): the function gets
 * the frozen object and returns the changed object, or undefined. Prefer `default` in the CRD's schema where it suffices.
 *
 * The difference is sent as a JSON patch; fields unknown to this program are kept if the function spreads its input.
 * The function does not run on deletes. Errors are handled as in `validator`.
 *
 * @example
 * ```ts
 * defaulter(Postgresql, (pg) => ({ ...pg, spec: { ...pg.spec, instances: pg.spec.instances ?? 1 } }));
 * ```
 */
export function defaulter<T extends KubernetesObject>(
  kind: Kind<T>,
  complete: (object: T, context: AdmissionContext) => T | undefined | Promise<T | undefined>,
  options: DefaulterOptions = {},
): AdmissionWebhook {
  const { path = webhookPath('mutate', kind), ...registration } = options;
  const handle = async (request: AdmissionRequest, context: AdmissionContext): Promise<AdmissionResponse> => {
    if (request.operation === 'DELETE') return allowed();
    const object = reviewedObject(kind, request.object);
    const changed = await complete(object, context);
    if (changed === undefined || changed === object) return allowed();
    const patch = createJsonPatch(object, changed);
    return patch.length === 0 ? allowed() : patched(patch);
  };
  return { type: 'mutating', path, kind, rules: [ruleFor(kind, ['CREATE', 'UPDATE'])], registration, handle };
}
