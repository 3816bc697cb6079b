import { KubewrightError } from '@kubewright/apimachinery';

/** Thrown when an extension API server cannot read the cluster's authentication configuration or a namespace. */
export class DelegationError extends KubewrightError {
  override readonly name = 'DelegationError';
  readonly code = 'KW5107';
}
