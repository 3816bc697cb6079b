/** A call that could not even be written down as a request: the program must be changed, a retry is no use. */
export class RequestError extends Error {
  /** Names the class of failure; nothing was sent, a retry is no use. */
  readonly code = 'KW2101';

  constructor(message: string, options?: { readonly cause?: unknown }) {
    super(message, options);
    this.name = 'RequestError';
  }
}
