import type { Socket } from 'node:net';
import { untilAborted } from '../../until-aborted.ts';
import type { TransportError } from '../transport-error.ts';
import { H2Session } from './h2-session.ts';
import type { HttpContext } from './http-options.ts';

/** Connections of one purpose: short calls, or long-running ones. */
interface Group {
  readonly sessions: Set<H2Session>;
  readonly maxSessions: number;
  /** Woken when a stream ends, a session comes, goes, or learns the server's limits. */
  readonly waiting: Set<() => void>;
  growing: Promise<void> | undefined;
}

/** The HTTP/2 connections to one server: opens another one when the streams of those at hand run out. */
export class H2Pool {
  readonly #context: HttpContext;
  readonly #dial: () => Promise<Socket>;
  readonly #short: Group;
  readonly #long: Group;
  /** Also those that take no new streams and wait for the running ones. */
  readonly #open = new Set<H2Session>();

  constructor(context: HttpContext, dial: () => Promise<Socket>) {
    this.#context = context;
    this.#dial = dial;
    this.#short = newGroup(context.tuning.maxShortSessions);
    this.#long = newGroup(Number.POSITIVE_INFINITY);
  }

  /** Takes a connection that was opened to learn the protocol. */
  adopt(socket: Socket, options: { readonly longRunning: boolean }): void {
    const group = this.#groupOf(options);
    const growing = this.#growth(group, this.#add(group, socket));
    growing.catch(() => {
      // Told to the calls that wait for it; there may be none left.
    });
  }

  /** Reserves a place on a connection with room for a stream; opens a connection, or waits for a stream to end. */
  async session(options: {
    readonly longRunning: boolean;
    readonly signal: AbortSignal | undefined;
  }): Promise<H2Session> {
    const group = this.#groupOf(options);
    for (;;) {
      for (const session of group.sessions) {
        if (session.hasRoom) {
          session.reserve();
          return session;
        }
      }
      const next = group.growing ?? (group.sessions.size < group.maxSessions ? this.#grow(group) : room(group));
      try {
        await untilAborted(next, options.signal);
      } catch (error) {
        // The turn may already have been given to this call; it must not be lost for those behind it.
        wakeOne(group);
        throw error;
      }
    }
  }

  /** Lets running streams end, then closes. */
  retire(): void {
    for (const session of this.#open) session.retire();
  }

  get isEmpty(): boolean {
    return this.#open.size === 0 && !this.#short.growing && !this.#long.growing;
  }

  /** Closes everything at once. */
  async destroy(reason: TransportError): Promise<void> {
    await Promise.all([...this.#open].map((session) => session.destroy(reason)));
  }

  #groupOf(options: { readonly longRunning: boolean }): Group {
    return options.longRunning ? this.#long : this.#short;
  }

  #grow(group: Group): Promise<void> {
    return this.#growth(
      group,
      this.#dial().then((socket) => this.#add(group, socket)),
    );
  }

  #growth(group: Group, opening: Promise<void>): Promise<void> {
    const growing = opening.finally(() => {
      if (group.growing === growing) group.growing = undefined;
    });
    group.growing = growing;
    return growing;
  }

  #add(group: Group, socket: Socket): Promise<void> {
    const session = new H2Session(this.#context, {
      socket,
      onRelease: () => wakeOne(group),
      onChange: () => {
        // One that goes away no longer counts against the limit, though its last streams still run on it.
        if (!session.usable) group.sessions.delete(session);
        if (session.isClosed) this.#open.delete(session);
        wakeAll(group);
      },
    });
    this.#open.add(session);
    group.sessions.add(session);
    return session.ready;
  }
}

function newGroup(maxSessions: number): Group {
  return { sessions: new Set(), maxSessions, waiting: new Set(), growing: undefined };
}

function room(group: Group): Promise<void> {
  return new Promise((resolve) => group.waiting.add(resolve));
}

function wakeOne(group: Group): void {
  for (const resolve of group.waiting) {
    group.waiting.delete(resolve);
    resolve();
    return;
  }
}

function wakeAll(group: Group): void {
  const waiting = [...group.waiting];
  group.waiting.clear();
  for (const resolve of waiting) resolve();
}
