import { KubewrightError } from '@kubewright/apimachinery';
import type { ErrorText } from '@kubewright/apimachinery/internal';

/**
 * Thrown when the server cannot listen on its address.
 *
 * @example
 * ```ts
 * try {
 *   await createHttpServer(options);
 * } catch (error) {
 *   if (error instanceof ListenError) console.error(`port ${error.port} is not available: ${error.why}`);
 *   else throw error;
 * }
 * ```
 */
export class ListenError extends KubewrightError {
  override readonly name = 'ListenError';
  readonly code = 'KW5101';
  readonly host: string;
  readonly port: number;

  constructor(text: ErrorText, options: ListenErrorOptions) {
    super(text, options);
    this.host = options.host;
    this.port = options.port;
  }
}

/** Options for {@link ListenError}. */
interface ListenErrorOptions {
  readonly host: string;
  readonly port: number;
  readonly cause: unknown;
}

/** Explains why listening failed. */
export function listenError(
  address: { readonly host: string; readonly port: number },
  cause: NodeJS.ErrnoException,
): ListenError {
  const { host, port } = address;
  const what = `the API server cannot listen on ${host}:${port}`;
  const failed = (why: string, remedy: string): ListenError =>
    new ListenError({ what, why, remedy }, { host, port, cause });
  switch (cause.code) {
    case 'EADDRINUSE':
      return failed(
        'another process is using this port',
        'stop the other process, or use another port (0 selects a free port)',
      );
    case 'EACCES':
      return failed('permission denied for this port', 'use a port above 1023 (0 selects a free port)');
    case 'EADDRNOTAVAIL':
      return failed('the address does not exist on this host', 'use a local address, such as 127.0.0.1');
    default:
      return failed(`system error: ${cause.message}`, 'use another address or port');
  }
}
