/** An error that must not be retried until something changes: the reconcile is counted and logged as failed, but not requeued. */
export class TerminalError extends Error {
  /** Never retried until something changes. */
  readonly code = 'KW3002';

  constructor(message: string, options?: { readonly cause?: unknown }) {
    super(message, options);
    this.name = 'TerminalError';
  }
}
