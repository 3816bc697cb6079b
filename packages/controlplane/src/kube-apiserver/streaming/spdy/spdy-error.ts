import { KubewrightError } from '@kubewright/apimachinery';

/** The other side violated the protocol or exceeded a limit. Its connection ends. */
export class SpdyError extends KubewrightError {
  override readonly name = 'SpdyError';
  readonly code = 'KW5104';

  constructor(message: string, options?: { readonly cause?: unknown }) {
    super({ what: `SPDY/3.1: ${message}; closing the connection` }, options);
  }
}
