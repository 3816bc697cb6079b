/** The server's address cannot be had. The message has three lines: what was tried, why it failed, what to do. */
export class ListenError extends Error {
  readonly code = 'KW5101';
  readonly host: string;
  readonly port: number;

  constructor(lines: readonly [string, string, string], options: ListenErrorOptions) {
    super(lines.join('\n'), { cause: options.cause });
    this.name = 'ListenError';
    this.host = options.host;
    this.port = options.port;
  }
}

/** What a {@link ListenError} is about. */
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
  const what = `The API server cannot listen on ${host}:${port}.`;
  const lines = (why: string, how: string): ListenError => new ListenError([what, why, how], { host, port, cause });
  switch (cause.code) {
    case 'EADDRINUSE':
      return lines('Another process is using that port.', 'Stop it, or choose another port (0 takes any free one).');
    case 'EACCES':
      return lines('This user may not use that port.', 'Choose a port above 1023 (0 takes any free one).');
    case 'EADDRNOTAVAIL':
      return lines('This machine has no such address.', 'Choose an address of this machine, such as 127.0.0.1.');
    default:
      return lines(`The system says: ${cause.message}.`, 'Choose another address or port.');
  }
}
