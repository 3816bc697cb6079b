import { KubewrightError } from '@kubewright/apimachinery';

/**
 * Thrown if etcd does not respond, or responds with an unexpected error. Retry later; it is unknown whether a write took effect.
 */
export class EtcdError extends KubewrightError {
  override readonly name = 'EtcdError';
  readonly code = 'KW5013';
}
