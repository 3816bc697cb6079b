/** The server cannot listen on its address. The message has three lines: the action, the reason, the fix. */
export class ListenError extends Error {
  readonly code = 'KW5101';
  readonly host: string;
  readonly port: number;

  constructor(lines: readonly [string, string, string], options: ListenErrorOptions) {
    const [what, why, how] = lines;
    super(`${what}\n  why: ${why}\n  fix: ${how}`, { cause: options.cause });
    this.name = 'ListenError';
    this.host = options.host;
    this.port = options.port;
  }
}

/** Options of {@link ListenError}. */
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
  const lines = (why: string, how: string): ListenError => new ListenError([what, why, how], { host, port, cause });
  switch (cause.code) {
    case 'EADDRINUSE':
      return lines('another process is using that port', 'stop it, or use another port (0 selects a free one)');
    case 'EACCES':
      return lines('permission denied for this port', 'use a port above 1023 (0 selects a free one)');
    case 'EADDRNOTAVAIL':
      return lines('the address does not exist on this host', 'use a local address, such as 127.0.0.1');
    default:
      return lines(`system error: ${cause.message}`, 'use another address or port');
  }
}
