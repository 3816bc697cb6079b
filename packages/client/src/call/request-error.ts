/** Thrown for a call that cannot be encoded as a request: the program must be changed; do not retry. */
export class RequestError extends Error {
  /** Identifies the class of failure; nothing was sent; do not retry. */
  readonly code = 'KW2101';

  constructor(message: string, options?: { readonly cause?: unknown }) {
    super(message, options);
    this.name = 'RequestError';
  }
}
