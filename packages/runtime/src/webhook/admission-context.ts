import type { KubernetesClient } from '@kubewright/client';
import type { Cache } from '../cache/cache.ts';
import type { Logger } from '../log/logger.ts';
import type { AdmissionRequest } from './admission-review.ts';

/** What a webhook's function is given besides the object. */
export interface AdmissionContext {
  /** The whole question: user, operation, names, options. */
  readonly request: AdmissionRequest;
  /** True when nothing will be stored: leave no trace elsewhere either. */
  readonly dryRun: boolean;
  /** Shows the caller a warning, whatever the verdict (`kubectl` prints it). Keep it below 120 characters. */
  warn(text: string): void;
  /**
   * Calls the API server as the operator.
   *
   * @throws WebhookError (KW3031) when the webhook is served without a manager and no client was given.
   */
  readonly client: KubernetesClient;
  /**
   * The manager's cache: declared kinds only. Webhooks are served before caches are filled: what is not there yet may come.
   *
   * @throws WebhookError (KW3031) as `client` does.
   */
  readonly cache: Cache;
  /** Carries controller-runtime's keys of the request: `namespace`, `name`, `resource`, `user`, `requestID`. */
  readonly log: Logger;
  /** Aborted when the API server no longer waits for the answer. */
  readonly signal: AbortSignal;
}

/** {@link AdmissionContext} of an update: knows the present state too. */
export interface UpdateContext<T> extends AdmissionContext {
  /** The object as it is stored now. */
  readonly old: T;
}
