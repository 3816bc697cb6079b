/** The other side violated the protocol or exceeded a limit. Its connection ends. */
export class SpdyError extends Error {
  readonly code = 'KW5104';

  constructor(message: string, options?: { readonly cause?: unknown }) {
    super(`SPDY/3.1: ${message}; closing the connection`, options);
    this.name = 'SpdyError';
  }
}
