import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  connect,
  constants,
  type OutgoingHttpHeaders,
} from 'node:http2';
import type { Socket } from 'node:net';
import type { Timer } from '@kubewright/apimachinery';
import { TransportError } from '../transport-error.ts';
import { isTlsFailure } from './dial.ts';
import type { HttpContext } from './http-options.ts';

/** Assumed until the server's SETTINGS are there; the RFC's recommended least. */
const STREAMS_BEFORE_SETTINGS = 100;

/**
 * Windows and memory, set because the defaults starve lists (64 KiB windows) and refuse streams (10 MB a session).
 * Node credits a session's window at once and a stream's when it is read, so a slow reader holds up only itself.
 */
const STREAM_WINDOW = 1 << 20;
const SESSION_WINDOW = 16 << 20;
const SESSION_MEMORY_MB = 1024;

/** One HTTP/2 connection: counts its streams, asks whether it lives, closes itself when it is idle. */
export class H2Session {
  readonly #context: HttpContext;
  readonly #session: ClientHttp2Session;
  readonly #socket: Socket;
  readonly #onRelease: () => void;
  readonly #onChange: () => void;
  #active = 0;
  #draining = false;
  #closed = false;
  #lastStreamId: number | undefined;
  #error: unknown;
  #bytesSeen = 0;
  #keepAlive: Timer | undefined;
  #idle: Timer | undefined;

  constructor(
    context: HttpContext,
    options: { readonly socket: Socket; readonly onRelease: () => void; readonly onChange: () => void },
  ) {
    this.#context = context;
    this.#socket = options.socket;
    this.#onRelease = options.onRelease;
    this.#onChange = options.onChange;
    this.#session = connect(context.server.origin, {
      createConnection: () => options.socket,
      maxSessionMemory: SESSION_MEMORY_MB,
      settings: { enablePush: false, initialWindowSize: STREAM_WINDOW },
    });
    this.#session.on('error', (error) => {
      this.#error ??= error;
    });
    this.#session.on('goaway', (_code, lastStreamId) => {
      this.#draining = true;
      this.#lastStreamId = lastStreamId;
      this.#onChange();
    });
    this.#session.on('close', () => this.#onClose());
    this.#session.on('connect', () => this.#session.setLocalWindowSize(SESSION_WINDOW));
    this.#session.on('remoteSettings', () => this.#onChange());
    this.#watchLife();
    this.#rest();
  }

  /** True if another stream may be opened. */
  get hasRoom(): boolean {
    return this.usable && this.#active < this.#capacity;
  }

  /** False once the connection is closed or the server said that it is going away. */
  get usable(): boolean {
    return !this.#draining && !this.#closed && !this.#session.closed && !this.#session.destroyed;
  }

  /** True once the connection broke. Node then ends streams as if they were whole, so readers must ask. */
  get failed(): boolean {
    return this.#error !== undefined;
  }

  get isClosed(): boolean {
    return this.#closed;
  }

  get #capacity(): number {
    const settings = this.#session.remoteSettings?.maxConcurrentStreams ?? STREAMS_BEFORE_SETTINGS;
    return Math.min(settings, this.#context.tuning.maxStreamsPerSession);
  }

  /** Opens a stream; `release` is to be called once when it is over. */
  open(headers: OutgoingHttpHeaders, options: { readonly endStream: boolean }): ClientHttp2Stream {
    const stream = this.#session.request(headers, options);
    if (this.#active++ === 0) {
      this.#idle?.[Symbol.dispose]();
      this.#session.ref();
    }
    return stream;
  }

  release(): void {
    this.#active--;
    if (this.#active === 0) this.#rest();
    this.#onRelease();
  }

  /** Why a stream that brought no answer, or not all of it, ended. */
  streamError(stream: ClientHttp2Stream, options: { readonly what: string; readonly cause?: unknown }): TransportError {
    const cause = this.#error ?? options.cause;
    if (cause instanceof TransportError && cause.code === 'KW2008') return cause;
    const { id } = stream;
    const never = id === undefined || (this.#lastStreamId !== undefined && id > this.#lastStreamId);
    if (never || stream.rstCode === constants.NGHTTP2_REFUSED_STREAM) {
      return new TransportError(
        'KW2004',
        `${options.what}: the server did not take the request; it is going away or full`,
        {
          retryable: true,
          sent: false,
          cause,
        },
      );
    }
    if (isTlsFailure(cause)) {
      const message = `${options.what}: the server ended TLS; does it accept this client certificate?`;
      return new TransportError('KW2002', message, { sent: false, cause });
    }
    const detail = cause instanceof Error ? ` (${cause.message})` : stream.rstCode ? ` (reset ${stream.rstCode})` : '';
    return new TransportError(
      'KW2003',
      `${options.what}: the connection was lost before the answer was whole${detail}`,
      {
        retryable: true,
        cause,
      },
    );
  }

  /** Lets running streams end, takes no new ones. */
  retire(): void {
    this.#draining = true;
    if (!this.#session.closed && !this.#session.destroyed) this.#session.close();
    this.#onChange();
  }

  /** Ends everything at once. */
  destroy(reason: TransportError): Promise<void> {
    if (this.#closed) return Promise.resolve();
    return new Promise((resolve) => {
      this.#session.once('close', () => resolve());
      this.#fail(reason);
    });
  }

  /** Nothing runs: the connection may be closed later, and must not keep the process alive. */
  #rest(): void {
    this.#idle?.[Symbol.dispose]();
    if (this.#closed || this.#session.destroyed) return;
    this.#session.unref();
    this.#idle = this.#context.clock.setTimer(this.#context.tuning.idleTimeoutMs, () => this.retire(), { unref: true });
  }

  #watchLife(): void {
    const { clock, tuning } = this.#context;
    this.#keepAlive = clock.setTimer(
      tuning.keepAliveIntervalMs,
      () => {
        if (this.#closed || this.#session.destroyed) return;
        const quiet = this.#socket.bytesRead === this.#bytesSeen;
        this.#bytesSeen = this.#socket.bytesRead;
        if (quiet && this.#active > 0) this.#ping();
        else this.#watchLife();
      },
      { unref: true },
    );
  }

  #ping(): void {
    const { clock, tuning } = this.#context;
    this.#keepAlive = clock.setTimer(
      tuning.keepAliveTimeoutMs,
      () => {
        const message = `${this.#context.server.host} did not answer a PING within ${tuning.keepAliveTimeoutMs} ms`;
        this.#fail(new TransportError('KW2003', message, { retryable: true }));
      },
      { unref: true },
    );
    this.#session.ping(() => {
      this.#keepAlive?.[Symbol.dispose]();
      // An error means that the session is over; its close event tells the streams.
      if (!this.#closed) this.#watchLife();
    });
  }

  #fail(reason: TransportError): void {
    this.#error ??= reason;
    this.#draining = true;
    // Without an error: node would raise it on every stream that nobody reads any more. The reason is kept here instead.
    this.#session.destroy();
    this.#socket.destroy();
  }

  #onClose(): void {
    this.#closed = true;
    this.#keepAlive?.[Symbol.dispose]();
    this.#idle?.[Symbol.dispose]();
    this.#onChange();
  }
}
