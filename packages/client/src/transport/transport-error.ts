/**
 * What went wrong below the API.
 *
 * | code | meaning |
 * |---|---|
 * | `KW2001` | no connection: refused, unreachable, name unknown, or not within the connect time-out |
 * | `KW2002` | TLS: the server's certificate is not trusted, or it refused ours |
 * | `KW2003` | the connection was lost, or did not answer a keep-alive in time |
 * | `KW2004` | the server refused the stream or is going away; it did not process the request |
 * | `KW2005` | the answer is larger than the limit |
 * | `KW2006` | the answer is not valid HTTP, or its compression is broken, or it ended too early |
 * | `KW2007` | the request is larger than the limit, or malformed |
 * | `KW2008` | the transport was closed |
 * | `KW2009` | the proxy did not let us through |
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

/** A request that got no answer, or not a whole one. Failures that the API reports are `StatusError`s instead. */
export class TransportError extends Error {
  readonly code: TransportErrorCode;
  /** True when the same request may well succeed if sent again soon. */
  readonly retryable: boolean;
  /** False when it is certain that the server has not processed any of it: then even a write may be sent again. */
  readonly sent: boolean;

  constructor(
    code: TransportErrorCode,
    message: string,
    options: { readonly retryable?: boolean; readonly sent?: boolean; readonly cause?: unknown } = {},
  ) {
    super(message, { cause: options.cause });
    this.name = 'TransportError';
    this.code = code;
    this.retryable = options.retryable ?? false;
    this.sent = options.sent ?? true;
  }
}
