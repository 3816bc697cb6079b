import type { Socket } from 'node:net';
import type { TransportError } from '../transport-error.ts';
import { H2Session } from './h2-session.ts';
import type { HttpContext } from './http-options.ts';
import { SessionGroup } from './session-group.ts';

/**
 * The HTTP/2 connections to one server. Opens another connection when the existing connections have no streams left.
 */
export class H2Pool {
  readonly #context: HttpContext;
  readonly #dial: () => Promise<Socket>;
  readonly #short: SessionGroup<H2Session>;
  readonly #long: SessionGroup<H2Session>;
  /** All sessions, including those that accept no new streams and wait for running streams to end. */
  readonly #open = new Set<H2Session>();

  constructor(context: HttpContext, dial: () => Promise<Socket>) {
    this.#context = context;
    this.#dial = dial;
    this.#short = this.#newGroup(context.tuning.maxShortSessions);
    this.#long = this.#newGroup(Number.POSITIVE_INFINITY);
  }

  /** Adds a connection that was opened to detect the protocol. */
  adopt(socket: Socket, options: { readonly longRunning: boolean }): void {
    const group = options.longRunning ? this.#long : this.#short;
    group.adopt(this.#newSession(group, socket));
  }

  /** Reserves a stream on a connection; opens a connection, or waits for a stream to end, if none is free. */
  session(options: { readonly longRunning: boolean; readonly signal: AbortSignal | undefined }): Promise<H2Session> {
    return (options.longRunning ? this.#long : this.#short).take(options.signal);
  }

  /** Lets running streams end, then closes all connections. */
  retire(): void {
    for (const session of this.#open) session.retire();
  }

  get isEmpty(): boolean {
    return this.#open.size === 0 && !this.#short.isGrowing && !this.#long.isGrowing;
  }

  /** Closes everything immediately. */
  async destroy(reason: TransportError): Promise<void> {
    await Promise.all([...this.#open].map((session) => session.destroy(reason)));
  }

  #newGroup(maxSessions: number): SessionGroup<H2Session> {
    const group: SessionGroup<H2Session> = new SessionGroup({
      maxSessions,
      open: async () => {
        const session = this.#newSession(group, await this.#dial());
        group.add(session);
        return session;
      },
    });
    return group;
  }

  #newSession(group: SessionGroup<H2Session>, socket: Socket): H2Session {
    const session = new H2Session(this.#context, {
      socket,
      onRelease: () => group.onRelease(),
      onChange: () => {
        if (session.isClosed) this.#open.delete(session);
        group.onChange(session);
      },
    });
    this.#open.add(session);
    return session;
  }
}
