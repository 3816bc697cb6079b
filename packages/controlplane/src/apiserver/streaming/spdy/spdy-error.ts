/** The other side broke the protocol or asked for more than is allowed; its connection ends. */
export class SpdyError extends Error {
  readonly code = 'KW5104';

  constructor(message: string, options?: { readonly cause?: unknown }) {
    super(`SPDY/3.1: ${message}; the connection is closed`, options);
    this.name = 'SpdyError';
  }
}
