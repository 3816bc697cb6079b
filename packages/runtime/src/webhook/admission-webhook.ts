import type { AdmissionContext } from './admission-context.ts';
import type { AdmissionRequest, AdmissionResponse } from './admission-review.ts';
import type { AdmissionWebhook, WebhookRegistration, WebhookRule } from './webhook-definition.ts';

/** Options for {@link admissionWebhook}. */
export interface AdmissionWebhookOptions extends WebhookRegistration {
  readonly type: 'mutating' | 'validating';
  /** URL path: letters, digits, `-` and `_` between slashes, such as `/check-pods`. */
  readonly path: string;
  /** Requests to review; used by {@link webhookConfigurations}. @defaultValue none: this program does not register the webhook */
  readonly rules?: readonly WebhookRule[];
  /** Returns `allowed()`, `denied(…)` or `patched(…)`; errors are handled as in `validator`. */
  handle(request: AdmissionRequest, context: AdmissionContext): AdmissionResponse | Promise<AdmissionResponse>;
}

/**
 * Declares a webhook that handles raw reviews: of several kinds, of subresources, of kinds unknown to the program.
 *
 * @example
 * ```ts
 * admissionWebhook({
 *   type: 'validating',
 *   path: '/no-exec',
 *   rules: [{ groups: [''], versions: ['v1'], resources: ['pods/exec'], operations: ['CONNECT'] }],
 *   handle: (request) => (request.namespace === 'prod' ? denied('production is read-only') : allowed()),
 * });
 * ```
 */
export function admissionWebhook(options: AdmissionWebhookOptions): AdmissionWebhook {
  const { type, path, rules = [], handle: _, ...registration } = options;
  return { type, path, rules, registration, handle: async (request, context) => options.handle(request, context) };
}
