import { KubewrightError } from '@kubewright/apimachinery';

/**
 * Thrown if a pod cannot be scheduled because of an inconsistency, such as a claim that names a missing storage class. The pod is
 * retried with backoff.
 */
export class SchedulingError extends KubewrightError {
  override readonly name = 'SchedulingError';
  readonly code = 'KW5801';
}
