import { Buffer } from 'node:buffer';
import { setMaxListeners } from 'node:events';
import type { Duplex } from 'node:stream';
import { SpdyConnection, type SpdyStream } from './spdy/index.ts';

/** A forwarded connection to a port. */
export interface PortForwardOptions {
  readonly port: number;
  /** Data from the client; ends when the client closes its side. */
  readonly input: AsyncIterable<Uint8Array>;
  /** Sends data to the client. Resolves when the client can take more. */
  readonly output: (chunk: Uint8Array) => Promise<void>;
  readonly signal: AbortSignal;
}

/** Connects to a port of the target pod. */
export type ForwardPort = (options: PortForwardOptions) => Promise<void>;

interface Pair {
  data?: SpdyStream;
  error?: SpdyStream;
}

/** Maximum number of connections that have only one of their two streams open. */
const maxUnpaired = 64;

/**
 * Port forwarding over SPDY. For each connection, the client opens a data stream and an error stream with the same port and request
 * ID. Mirrors the kubelet's `httpStreamHandler` (1.36).
 */
export class SpdyPortForward {
  readonly #connection: SpdyConnection;
  readonly #forward: ForwardPort;
  readonly #pairs = new Map<string, Pair>();
  readonly #over = new AbortController();

  constructor(duplex: Duplex, forward: ForwardPort) {
    this.#forward = forward;
    // Every forwarded connection adds a listener to the signal.
    setMaxListeners(0, this.#over.signal);
    this.#connection = new SpdyConnection({ duplex, opened: (stream) => this.#opened(stream) });
  }

  /** Serves until the client disconnects. */
  async run(): Promise<void> {
    try {
      await this.#connection.run();
    } catch {
      // The client violated the protocol. Closing the connection is the only possible response.
    } finally {
      this.#over.abort();
    }
  }

  #opened(stream: SpdyStream): void {
    const kind = stream.headers.get('streamtype');
    const port = portOf(stream);
    if ((kind !== 'data' && kind !== 'error') || port === undefined) {
      stream.reset();
      return;
    }
    const request = requestOf(stream, kind);
    const pair = this.#pairs.get(request) ?? {};
    if (pair[kind] || (!this.#pairs.has(request) && this.#pairs.size >= maxUnpaired)) {
      stream.reset();
      return;
    }
    pair[kind] = stream;
    const { data, error } = pair;
    if (!data || !error) {
      this.#pairs.set(request, pair);
      return;
    }
    this.#pairs.delete(request);
    void this.#connect({ data, error, port: portOf(data) ?? port });
  }

  async #connect(ends: {
    readonly data: SpdyStream;
    readonly error: SpdyStream;
    readonly port: number;
  }): Promise<void> {
    const { data, error, port } = ends;
    error.discard();
    try {
      const output = (chunk: Uint8Array): Promise<void> => data.write(chunk);
      await this.#forward({ port, input: data.input, output, signal: this.#over.signal });
    } catch (cause) {
      await error.write(Buffer.from(cause instanceof Error ? cause.message : String(cause)));
    }
    data.discard();
    await Promise.all([data.end(), error.end()]);
  }
}

function portOf({ headers }: SpdyStream): number | undefined {
  const text = headers.get('port') ?? '';
  const port = Number(text);
  return /^\d{1,5}$/.test(text) && port >= 1 && port <= 65_535 ? port : undefined;
}

/** Returns the request ID of a stream. Old clients send none: they open the error stream and then, immediately, the data stream. */
function requestOf(stream: SpdyStream, kind: 'data' | 'error'): string {
  return stream.headers.get('requestid') ?? `#${kind === 'error' ? stream.id : stream.id - 2}`;
}
