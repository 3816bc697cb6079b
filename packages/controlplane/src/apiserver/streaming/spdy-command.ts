import { Buffer } from 'node:buffer';
import type { Duplex } from 'node:stream';
import type { CommandStreams, WantedStreams } from './command-streams.ts';
import { SpdyConnection, type SpdyStream } from './spdy/index.ts';

/** The versions of the protocol over SPDY. Older ones say how a command ended in free text. */
export const spdyCommandProtocols: readonly string[] = ['v4.channel.k8s.io'];

/** A terminal's sizes come too when there is one; nobody has one here. */
const kinds = ['error', 'stdin', 'stdout', 'stderr', 'resize'] as const;
type Kind = (typeof kinds)[number];

/** Waits until a client has opened the streams that it asked for. Ends with it when it goes before. */
export function openSpdyCommand(
  duplex: Duplex,
  options: { readonly wanted: WantedStreams; readonly closed: () => void },
): Promise<CommandStreams> {
  const { wanted, closed } = options;
  const missing = new Set<Kind>(['error', ...(['stdin', 'stdout', 'stderr'] as const).filter((kind) => wanted[kind])]);
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
        if (kind !== 'stdin') stream.discard();
        missing.delete(kind);
        if (missing.size === 0) resolve(new SpdyCommand(connection, found));
      },
    });
    connection
      .run()
      .catch(() => undefined) // whatever the client did wrong, it has gone
      .then(() => {
        closed();
        reject(new Error('the client went away before it had opened its streams'));
      });
  });
}

class SpdyCommand implements CommandStreams {
  readonly stdin: AsyncIterable<Uint8Array>;
  readonly #connection: SpdyConnection;
  readonly #streams: ReadonlyMap<Kind, SpdyStream>;

  constructor(connection: SpdyConnection, streams: ReadonlyMap<Kind, SpdyStream>) {
    this.#connection = connection;
    this.#streams = streams;
    this.stdin = streams.get('stdin')?.input ?? (async function* () {})();
  }

  stdout(chunk: Uint8Array): void {
    void this.#streams.get('stdout')?.write(chunk);
  }

  stderr(chunk: Uint8Array): void {
    void this.#streams.get('stderr')?.write(chunk);
  }

  end(status: unknown): void {
    void this.#streams.get('error')?.write(Buffer.from(JSON.stringify(status)));
    for (const stream of this.#streams.values()) stream.end();
    this.#connection.close();
  }
}
