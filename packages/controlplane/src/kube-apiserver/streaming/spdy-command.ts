import { Buffer } from 'node:buffer';
import type { Duplex } from 'node:stream';
import type { CommandStatus, CommandStreams, RequestedStreams } from './command-streams.ts';
import { disconnected } from './disconnected.ts';
import { SpdyConnection, type SpdyStream } from './spdy/index.ts';
import type { TerminalSize } from './terminal-sizes.ts';
import { readTerminalSizes } from './terminal-sizes.ts';

/** The supported protocol versions over SPDY. Older versions send a command's final status as plain text. */
export const spdyCommandProtocols: readonly string[] = ['v4.channel.k8s.io'];

/** The types of streams; `resize` carries terminal sizes. */
const kinds = ['error', 'stdin', 'stdout', 'stderr', 'resize'] as const;
type Kind = (typeof kinds)[number];

/** Resolves once the client has opened the streams that it requested. Rejects if the client disconnects first. */
export function openSpdyCommand(
  duplex: Duplex,
  options: { readonly wanted: RequestedStreams; readonly closed: () => void },
): Promise<CommandStreams> {
  const { wanted, closed } = options;
  const missing = new Set<Kind>(['error', ...(['stdin', 'stdout', 'stderr'] as const).filter((kind) => wanted[kind])]);
  if (wanted.tty) missing.add('resize');
  const found = new Map<Kind, SpdyStream>();
  return new Promise((resolve, reject) => {
    const connection: SpdyConnection = new SpdyConnection({
      duplex,
      opened(stream) {
        const kind = kinds.find((one) => one === stream.headers.get('streamtype'));
        if (!kind || found.has(kind)) {
          stream.reset();
          return;
        }
        found.set(kind, stream);
        if (kind !== 'stdin' && kind !== 'resize') stream.discard();
        missing.delete(kind);
        if (missing.size === 0) resolve(new SpdyCommand(connection, found));
      },
    });
    const gone = (): void => {
      closed();
      reject(disconnected('opening its streams'));
    };
    // A protocol error also disconnects the client.
    connection.run().then(gone, gone);
  });
}

class SpdyCommand implements CommandStreams {
  readonly stdin: AsyncIterable<Uint8Array>;
  readonly sizes: AsyncIterable<TerminalSize>;
  readonly #connection: SpdyConnection;
  readonly #streams: ReadonlyMap<Kind, SpdyStream>;

  constructor(connection: SpdyConnection, streams: ReadonlyMap<Kind, SpdyStream>) {
    this.#connection = connection;
    this.#streams = streams;
    const nothing = (async function* (): AsyncGenerator<Uint8Array> {})();
    this.stdin = streams.get('stdin')?.input ?? nothing;
    this.sizes = readTerminalSizes(streams.get('resize')?.input ?? nothing);
  }

  async stdout(chunk: Uint8Array): Promise<void> {
    await this.#streams.get('stdout')?.write(chunk);
  }

  async stderr(chunk: Uint8Array): Promise<void> {
    await this.#streams.get('stderr')?.write(chunk);
  }

  end(status: CommandStatus): void {
    void this.#streams.get('error')?.write(Buffer.from(JSON.stringify(status)));
    void Promise.all([...this.#streams.values()].map((stream) => stream.end())).then(() => this.#connection.close());
  }
}
