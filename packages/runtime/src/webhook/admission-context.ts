import type { KubernetesClient } from '@kubewright/client';
import type { Cache } from '../cache/cache.ts';
import type { Logger } from '../log/logger.ts';
import type { AdmissionRequest } from './admission-review.ts';

/**
 * The context that a webhook's function gets along with the object.
 *
 * @example
 * ```ts
 * function warnAboutLatest(pod: Pod, { warn, request }: AdmissionContext): void {
 *   const latest = pod.spec?.containers.some(({ image }) => image?.endsWith(':latest'));
 *   if (latest) warn(`${request.operation}: pin the image to a version`);
 * }
 * ```
 */
export interface AdmissionContext {
  /** The full admission request: user, operation, names, options. */
  readonly request: AdmissionRequest;
  /** True if the object will not be stored (dry run); the webhook must then have no other side effects. */
  readonly dryRun: boolean;
  /** Adds a warning for the caller, whether or not the request is admitted; `kubectl` prints it. Keep it below 120 characters. */
  warn(text: string): void;
  /**
   * Calls the API server as the operator.
   * @throws WebhookError (KW3031) if the webhook is served without a manager and no client was given.
   */
  readonly client: KubernetesClient;
  /**
   * The manager's cache, with declared kinds only. Webhooks are served before caches have synced, so objects may still
   * be missing.
   * @throws WebhookError (KW3031) like `client`.
   */
  readonly cache: Cache;
  /** Includes controller-runtime's keys of the request: `namespace`, `name`, `resource`, `user`, `requestID`. */
  readonly log: Logger;
  /** Aborted when the API server no longer waits for the response. */
  readonly signal: AbortSignal;
}

/**
 * {@link AdmissionContext} of an update, with the current state.
 *
 * @example
 * ```ts
 * function checkSize({ spec }: Database, { old }: UpdateContext<Database>): string | undefined {
 *   return spec.sizeGiB < old.spec.sizeGiB ? 'a volume cannot shrink' : undefined;
 * }
 * validator(Database, { update: checkSize });
 * ```
 */
export interface UpdateContext<T> extends AdmissionContext {
  /** The object as currently stored. */
  readonly old: T;
}
