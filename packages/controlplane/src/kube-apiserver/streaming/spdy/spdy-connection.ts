import { Buffer } from 'node:buffer';
import type { Duplex } from 'node:stream';
import {
  controlFrame,
  dataFrame,
  type Frame,
  flagFin,
  frameTypes,
  numbers,
  readFrames,
  resetReasons,
} from './frames.ts';
import { HeaderBlocks } from './header-block.ts';
import { SpdyError } from './spdy-error.ts';
import { SpdyStream } from './spdy-stream.ts';

/** Maximum number of concurrent streams. Further streams are rejected. */
const maxStreams = 512;
/** Maximum number of unsent bytes; beyond it, the client is considered stalled and is disconnected. */
const maxUnsentBytes = 64 * 1024 * 1024;

export interface SpdyConnectionOptions {
  /** The transport: a socket, or a stream over WebSocket messages. */
  readonly duplex: Duplex;
  /** Called when the client opens a stream. */
  readonly opened: (stream: SpdyStream) => void;
}

/**
 * The server side of SPDY/3.1, reduced to what Kubernetes clients use (`moby/spdystream` 0.5): streams opened by the
 * client, half-close, reset and ping. Like that library, has no flow-control windows or priorities: an unread stream
 * blocks the whole connection.
 */
export class SpdyConnection {
  readonly #duplex: Duplex;
  readonly #opened: (stream: SpdyStream) => void;
  readonly #blocks = new HeaderBlocks();
  readonly #streams = new Map<number, SpdyStream>();
  #lastId = 0;

  constructor(options: SpdyConnectionOptions) {
    this.#duplex = options.duplex;
    this.#opened = options.opened;
  }

  /**
   * Serves until the client disconnects or {@link close} is called.
   *
   * @throws SpdyError if the client violates the protocol.
   */
  async run(): Promise<void> {
    const duplex = this.#duplex;
    duplex.on('error', () => duplex.destroy()); // broken connections are not reported
    // Every write that waits for 'drain' adds listeners.
    duplex.setMaxListeners(0);
    duplex.once('close', () => this.#abortAll());
    try {
      for await (const frame of readFrames(duplex)) await this.#take(frame);
    } catch (error) {
      // Any other error means that the transport was destroyed: the client disconnected, or the server closed it.
      if (error instanceof SpdyError) throw error;
    } finally {
      this.#abortAll();
      this.#blocks[Symbol.dispose]();
      duplex.destroy();
    }
  }

  /** Sends GOAWAY, then closes the connection once everything is sent. */
  close(): void {
    if (this.#duplex.destroyed || this.#duplex.writableEnded) return;
    this.#duplex.write(controlFrame(frameTypes.goAway, numbers(this.#lastId, 0)));
    this.#duplex.end();
  }

  async #take(frame: Frame): Promise<void> {
    if (frame.type === 'data') {
      await this.#streams.get(frame.streamId)?.received(frame.bytes, { fin: frame.fin });
      return;
    }
    const { kind, payload, flags } = frame;
    if (kind === frameTypes.synStream) await this.#open(payload, flags);
    else if (kind === frameTypes.ping) void this.#write(controlFrame(frameTypes.ping, payload));
    else if (kind === frameTypes.reset) this.#streams.get(streamIdOf(payload))?.aborted();
    // These headers are not used, but must be decompressed to keep zlib's state in sync.
    else if (kind === frameTypes.headers || kind === frameTypes.synReply) await this.#blocks.read(payload.subarray(4));
  }

  async #open(payload: Buffer, flags: number): Promise<void> {
    if (payload.length < 10) throw new SpdyError('a SYN_STREAM frame is too short');
    const id = streamIdOf(payload);
    const headers = await this.#blocks.read(payload.subarray(10));
    // The stream IDs of clients are odd and increase.
    if (id % 2 === 0 || id <= this.#lastId) {
      this.#reset(id, resetReasons.protocolError);
      return;
    }
    this.#lastId = id;
    if (this.#streams.size >= maxStreams) {
      this.#reset(id, resetReasons.refusedStream);
      return;
    }
    const output = {
      data: (streamId: number, bytes: Uint8Array, options: { readonly fin: boolean }) =>
        this.#write(dataFrame(streamId, bytes, options)),
      reset: (streamId: number) => this.#reset(streamId, resetReasons.cancel),
      forget: (streamId: number) => void this.#streams.delete(streamId),
    };
    const stream = new SpdyStream(id, { headers, output });
    this.#streams.set(id, stream);
    const noHeaders = await this.#blocks.write(new Map());
    void this.#write(controlFrame(frameTypes.synReply, Buffer.concat([numbers(id), noHeaders])));
    if ((flags & flagFin) !== 0) await stream.received(new Uint8Array(0), { fin: true });
    this.#opened(stream);
  }

  #abortAll(): void {
    for (const stream of [...this.#streams.values()]) stream.aborted();
  }

  #reset(streamId: number, reason: number): void {
    void this.#write(controlFrame(frameTypes.reset, numbers(streamId, reason)));
  }

  /** Writes a frame. Resolves when the transport can take more. */
  #write(frame: Buffer): Promise<void> {
    const duplex = this.#duplex;
    if (duplex.destroyed || duplex.writableEnded) return Promise.resolve();
    if (duplex.writableLength > maxUnsentBytes) {
      duplex.destroy();
      return Promise.resolve();
    }
    if (duplex.write(frame)) return Promise.resolve();
    return new Promise((resolve) => {
      const done = (): void => {
        duplex.off('drain', done).off('close', done);
        resolve();
      };
      duplex.on('drain', done).on('close', done);
    });
  }
}

function streamIdOf(payload: Buffer): number {
  if (payload.length < 4) throw new SpdyError('a frame is too short to contain a stream ID');
  return payload.readUInt32BE(0) & 0x7fff_ffff;
}
