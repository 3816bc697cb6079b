import { KubewrightError } from '@kubewright/apimachinery';

/** Thrown if the client violates the protocol or exceeds a limit. Its connection is closed. */
export class SpdyError extends KubewrightError {
  override readonly name = 'SpdyError';
  readonly code = 'KW5104';

  constructor(message: string, options?: { readonly cause?: unknown }) {
    super({ what: `SPDY/3.1: ${message}; closing the connection` }, options);
  }
}
