import { KubewrightError } from '@kubewright/apimachinery';

/** Thrown when the cluster does not publish how to authenticate callers. */
export class DelegationError extends KubewrightError {
  override readonly name = 'DelegationError';
  readonly code = 'KW5107';
}
