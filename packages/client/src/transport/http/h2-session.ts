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
import { StreamResets } from './stream-resets.ts';

/**
 * Flow-control windows and the memory limit, in bytes and MB. Node's defaults slow lists down (64 KiB windows) and
 * reject streams (10 MB per session). Node replenishes a session's window immediately but a stream's window only when
 * the stream is read, so a slow reader delays only itself.
 */
const streamWindow = 1 << 20;
const sessionWindow = 16 << 20;
const sessionMemoryMb = 1024;

/** One HTTP/2 connection: counts its streams, checks that it is alive, and closes itself when idle. */
export class H2Session {
  /**
   * Resolves when the server has sent its limits; rejects if the connection is lost first, or stays silent for longer
   * than the connect timeout. The connection keeps the process alive until the limits arrive, because calls are
   * waiting.
   */
  readonly ready: Promise<void>;
  readonly #context: HttpContext;
  readonly #session: ClientHttp2Session;
  readonly #socket: Socket;
  readonly #onRelease: () => void;
  readonly #onChange: () => void;
  #active = 0;
  /**
   * Maximum number of streams allowed by the server. 0 until the SETTINGS frame arrives, so that no stream is opened
   * that the server would reject.
   */
  #serverLimit = 0;
  #draining = false;
  #closed = false;
  #lastStreamId: number | undefined;
  readonly #resets: StreamResets;
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
    this.#resets = new StreamResets({ clock: context.clock, isNeeded: () => !this.#closed && !this.#endUnread() });
    this.#onChange = options.onChange;
    this.#session = connect(context.server.origin, {
      createConnection: () => options.socket,
      maxSessionMemory: sessionMemoryMb,
      settings: { enablePush: false, initialWindowSize: streamWindow },
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
    this.#session.on('connect', () => this.#session.setLocalWindowSize(sessionWindow));
    this.ready = this.#awaitSettings();
    this.#watchLife();
  }

  /** True if another stream may be opened. */
  get hasRoom(): boolean {
    return this.usable && this.#active < this.#capacity;
  }

  /** False once the connection is closed or the server has announced that it is going away. */
  get usable(): boolean {
    return !this.#draining && !this.#closed && !this.#session.closed && !this.#session.destroyed;
  }

  /** True once the connection is broken. Node then ends streams as if they were complete, so readers must check this. */
  get failed(): boolean {
    return this.#error !== undefined;
  }

  get isClosed(): boolean {
    return this.#closed;
  }

  get #capacity(): number {
    return Math.min(this.#serverLimit, this.#context.tuning.maxStreamsPerSession);
  }

  /** Reserves a slot for a stream; call {@link H2Session.release} once to return it. */
  reserve(): void {
    if (this.#active++ > 0) return;
    this.#idle?.[Symbol.dispose]();
    this.#session.ref();
  }

  /** Opens a stream in a reserved slot. */
  open(headers: OutgoingHttpHeaders, options: { readonly endStream: boolean }): ClientHttp2Stream {
    return this.#session.request(headers, options);
  }

  /**
   * Resets a stream immediately, or later if the server would reject the reset now; the stream stays unread until it is
   * reset.
   */
  cancel(stream: ClientHttp2Stream): void {
    this.#resets.add(stream);
  }

  /**
   * Closes the connection if all its streams wait for a reset, because closing takes one frame instead of thousands of
   * resets.
   */
  #endUnread(): boolean {
    if (this.#resets.waiting === 0 || this.#resets.waiting !== this.#active) return false;
    this.#fail(
      new TransportError(
        'KW2003',
        { what: 'the connection was closed', why: 'all its streams were canceled' },
        { retryable: true },
      ),
    );
    return true;
  }

  release(): void {
    this.#active--;
    if (!this.#closed) this.#endUnread();
    if (this.#active === 0) this.#rest();
    this.#onRelease();
  }

  /** Returns the reason why a stream ended without a complete response. */
  streamError(stream: ClientHttp2Stream, options: { readonly what: string; readonly cause?: unknown }): TransportError {
    const cause = this.#error ?? options.cause;
    if (cause instanceof TransportError && cause.code === 'KW2008') return cause;
    const { id } = stream;
    const never = id === undefined || (this.#lastStreamId !== undefined && id > this.#lastStreamId);
    if (never || stream.rstCode === constants.NGHTTP2_REFUSED_STREAM) {
      return new TransportError(
        'KW2004',
        { what: `${options.what} failed`, why: 'the server is shutting down or overloaded' },
        {
          retryable: true,
          sent: false,
          cause,
        },
      );
    }
    if (isTlsFailure(cause)) {
      const text = {
        what: `${options.what} failed`,
        why: 'the server closed the TLS connection',
        remedy: 'check that the server accepts the client certificate',
      };
      return new TransportError('KW2002', text, { sent: false, cause });
    }
    const detail =
      cause instanceof Error ? ` (${cause.message})` : stream.rstCode ? ` (HTTP/2 error code ${stream.rstCode})` : '';
    return new TransportError(
      'KW2003',
      { what: `${options.what} failed`, why: `the connection was lost before the response was complete${detail}` },
      {
        retryable: true,
        cause,
      },
    );
  }

  /** Lets running streams end, and accepts no new streams. */
  retire(): void {
    this.#draining = true;
    if (!this.#session.closed && !this.#session.destroyed) this.#session.close();
    this.#onChange();
  }

  /** Ends everything immediately. */
  destroy(reason: TransportError): Promise<void> {
    if (this.#closed) return Promise.resolve();
    return new Promise((resolve) => {
      this.#session.once('close', () => resolve());
      this.#fail(reason);
    });
  }

  #awaitSettings(): Promise<void> {
    const { clock, tuning, server } = this.#context;
    return new Promise((resolve, reject) => {
      const fail = (why: string, remedy?: string): void => {
        const cause = this.#error;
        const text = { what: `cannot connect to ${server.host}`, why, remedy };
        const code = isTlsFailure(cause) ? 'KW2002' : 'KW2001';
        const known = cause instanceof TransportError ? cause : undefined;
        reject(known ?? new TransportError(code, text, { sent: false, retryable: code === 'KW2001', cause }));
      };
      const timer = clock.setTimer(
        tuning.connectTimeoutMs,
        () => {
          fail(`the server negotiated HTTP/2 but sent nothing within ${tuning.connectTimeoutMs} ms`);
          void this.destroy(new TransportError('KW2001', { what: `${server.host} does not respond` }, { sent: false }));
        },
        { unref: true },
      );
      this.#session.once('close', () => {
        timer[Symbol.dispose]();
        fail('the connection was closed during setup', 'check that the server accepts the client certificate');
      });
      this.#session.on('remoteSettings', (settings) => {
        timer[Symbol.dispose]();
        this.#serverLimit = settings.maxConcurrentStreams ?? Number.POSITIVE_INFINITY;
        if (this.#active === 0) this.#rest();
        resolve();
        this.#onChange();
      });
    });
  }

  /**
   * Called when no streams are left: starts the idle timeout, and stops the connection from keeping the process alive.
   */
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
        const what = `${this.#context.server.host} did not respond to an HTTP/2 PING within ${tuning.keepAliveTimeoutMs} ms`;
        this.#fail(new TransportError('KW2003', { what }, { retryable: true }));
      },
      { unref: true },
    );
    this.#session.ping(() => {
      this.#keepAlive?.[Symbol.dispose]();
      // An error means that the session has ended; the session's close event notifies the streams.
      if (!this.#closed) this.#watchLife();
    });
  }

  #fail(reason: TransportError): void {
    this.#error ??= reason;
    this.#draining = true;
    // Destroy without an error, because Node would emit the error on every stream, even on unread streams. `#error`
    // holds the reason instead.
    this.#session.destroy();
    this.#socket.destroy();
  }

  #onClose(): void {
    this.#closed = true;
    this.#keepAlive?.[Symbol.dispose]();
    this.#idle?.[Symbol.dispose]();
    this.#resets[Symbol.dispose]();
    this.#onChange();
  }
}
