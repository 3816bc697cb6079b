import { KubewrightError } from '@kubewright/apimachinery';

/**
 * A pod cannot be scheduled because objects contradict each other, such as a claim of a missing storage class. It is retried after
 * a growing delay.
 */
export class SchedulingError extends KubewrightError {
  override readonly name = 'SchedulingError';
  readonly code = 'KW5801';
}
