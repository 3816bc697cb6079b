/**
 * Says that trying again is no use until something changes: the reconcile is counted and logged as failed, not retried.
 */
export class TerminalError extends Error {
  /** Names the class of failure; never retried until something changes. */
  readonly code = 'KW3002';

  constructor(message: string, options?: { readonly cause?: unknown }) {
    super(message, options);
    this.name = 'TerminalError';
  }
}
