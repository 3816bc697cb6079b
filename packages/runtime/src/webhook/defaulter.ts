import { createJsonPatch, type Kind, type KubernetesObject } from '@kubewright/apimachinery';
import type { AdmissionContext } from './admission-context.ts';
import { type AdmissionRequest, type AdmissionResponse, allowed, patched } from './admission-review.ts';
import { reviewedObject } from './reviewed-object.ts';
import { type AdmissionWebhook, ruleFor, type WebhookRegistration, webhookPath } from './webhook-definition.ts';

/** Options of {@link defaulter}. */
export interface DefaulterOptions extends WebhookRegistration {
  /** @defaultValue `/mutate-<group with dashes>-<version>-<kind>` */
  readonly path?: string;
}

/**
 * Declares how objects of a kind are completed before they are stored (controller-runtime's `Defaulter`): given the object,
 * frozen, the function returns the changed one, or nothing. Prefer `default` in the CRD's schema where it does.
 *
 * The difference of the two travels as a JSON patch: fields that this program does not know stay, as long as the function
 * spreads what it was given. Deletions are not asked about. What is thrown is treated as in `validator`.
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
