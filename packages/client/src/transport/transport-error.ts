import { KubewrightError } from '@kubewright/apimachinery';
import type { ErrorText } from '@kubewright/apimachinery/internal';

/**
 * Codes of failures below the API.
 *
 * | code | meaning |
 * |---|---|
 * | `KW2001` | cannot connect: connection refused, server unreachable, unknown host, or timeout |
 * | `KW2002` | TLS handshake failed: the server certificate is not trusted, or the client certificate was rejected |
 * | `KW2003` | the connection was lost, or the server did not respond to a keep-alive in time |
 * | `KW2004` | the server is shutting down or overloaded; it did not process the request |
 * | `KW2005` | the response is larger than the limit |
 * | `KW2006` | the response is not valid HTTP, is truncated, or has corrupt compression |
 * | `KW2007` | the request is larger than the limit, or malformed |
 * | `KW2008` | the transport was closed |
 * | `KW2009` | the proxy is unreachable or invalid, or it rejected the tunnel |
 */
export type TransportErrorCode =
  | 'KW2001'
  | 'KW2002'
  | 'KW2003'
  | 'KW2004'
  | 'KW2005'
  | 'KW2006'
  | 'KW2007'
  | 'KW2008'
  | 'KW2009';

/**
 * Thrown if a request got no response or an incomplete one. Failures that the API reports are `StatusError`s instead.
 *
 * @example
 * ```ts
 * if (error instanceof TransportError) console.error('the API server is unreachable', error.code);
 * ```
 */
export class TransportError extends KubewrightError {
  override readonly name = 'TransportError';
  readonly code: TransportErrorCode;
  /** True if the same request may succeed when retried soon. */
  readonly retryable: boolean;
  /** False if the server has certainly processed no part of the request. In that case, even a write can be retried. */
  readonly sent: boolean;

  constructor(
    code: TransportErrorCode,
    text: ErrorText,
    options: { readonly retryable?: boolean; readonly sent?: boolean; readonly cause?: unknown } = {},
  ) {
    super(text, options);
    this.code = code;
    this.retryable = options.retryable ?? false;
    this.sent = options.sent ?? true;
  }
}
