import { KubewrightError } from '@kubewright/apimachinery';
import type { ErrorText } from '@kubewright/apimachinery/internal';

/**
 * An error that must not be retried until something changes: the reconcile is counted and logged as failed, but not requeued.
 *
 * @example
 * ```ts
 * throw new TerminalError('spec.version 9 is not supported');
 * ```
 */
export class TerminalError extends KubewrightError {
  override readonly name = 'TerminalError';
  /** Never retried until something changes. */
  readonly code = 'KW3002';

  constructor(text: string | ErrorText, options?: { readonly cause?: unknown }) {
    super(typeof text === 'string' ? { what: text } : text, options);
  }
}
