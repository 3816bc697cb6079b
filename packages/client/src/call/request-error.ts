import { KubewrightError } from '@kubewright/apimachinery';

/**
 * Thrown for a call that cannot be encoded as a request. This is an error in the program; do not retry.
 *
 * @example
 * ```ts
 * if (error instanceof RequestError) console.error(error.message);
 * ```
 */
export class RequestError extends KubewrightError {
  override readonly name = 'RequestError';
  /** Identifies the class of failure; nothing was sent. */
  readonly code = 'KW2101';
}
