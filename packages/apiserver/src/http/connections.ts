import type { Clock, Timer } from '@kubewright/apimachinery';
import type { HttpLimits } from './limits.ts';

/** A client's socket, tracked from its first packet. */
export interface TrackedConnection {
  /** Marks the start of a request: the connection is not idle until {@link end}. */
  begin(): void;
  /**
   * Marks the end of a request. `known` is true if the request proved an identity: these connections are evicted last.
   */
  end(known: boolean): void;
}

/** The ways to end a connection. */
export interface ConnectionEnds {
  /** Requests the client to reconnect. Requests that are already arriving may still be served. */
  close(): void;
  /** Cuts the connection. */
  destroy(): void;
}

/**
 * Limits the number of connections and their idle time. Anyone can open connections without credentials, and a flood of
 * connections must not lock out other clients. At the limit, a new connection replaces the one that has been idle
 * longest.
 */
export class Connections {
  readonly #clock: Clock;
  readonly #limits: HttpLimits;
  readonly #all = new Set<Connection>();
  /** Idle connections in eviction order, longest idle first. */
  readonly #idle: Readonly<Record<IdentityState, Set<Connection>>> = {
    unused: new Set(),
    unknown: new Set(),
    known: new Set(),
  };
  #timer: Timer | undefined;

  constructor(options: { readonly clock: Clock; readonly limits: HttpLimits }) {
    this.#clock = options.clock;
    this.#limits = options.limits;
  }

  /** The number of open connections. */
  get size(): number {
    return this.#all.size;
  }

  /**
   * Adds a new connection. At the limit, closes the connection that has been idle longest.
   *
   * @returns undefined when all other connections have requests in progress; the caller rejects the new connection
   */
  add(ends: ConnectionEnds): Connection | undefined {
    if (this.#all.size >= this.#limits.maxConnections && !this.#makeRoom()) return undefined;
    const connection = new Connection(ends, {
      busy: (it) => this.#idle[it.identity].delete(it),
      idle: (it) => this.#rest(it),
    });
    this.#all.add(connection);
    this.#rest(connection);
    return connection;
  }

  /** Removes a connection that has closed. */
  remove(connection: Connection): void {
    this.#all.delete(connection);
    this.#idle[connection.identity].delete(connection);
  }

  /** Stops checking for idle connections. */
  stop(): void {
    this.#timer?.[Symbol.dispose]();
    this.#timer = undefined;
  }

  #makeRoom(): boolean {
    for (const state of closingOrder) {
      const [oldest] = this.#idle[state];
      if (oldest === undefined) continue;
      this.remove(oldest);
      oldest.ends.destroy();
      return true;
    }
    return false;
  }

  #rest(connection: Connection): void {
    if (!this.#all.has(connection)) return;
    connection.idleSince = this.#clock.monotonic();
    this.#idle[connection.identity].add(connection);
    this.#timer ??= this.#arm(this.#limitOf(connection.identity));
  }

  #limitOf(state: IdentityState): number {
    return state === 'unused' ? this.#limits.firstRequestTimeoutMs : this.#limits.keepAliveMs;
  }

  #arm(delayMs: number): Timer {
    return this.#clock.setTimer(delayMs, () => this.#sweep(), { unref: true });
  }

  #sweep(): void {
    const now = this.#clock.monotonic();
    let next = Number.POSITIVE_INFINITY;
    for (const state of closingOrder) {
      const limit = this.#limitOf(state);
      for (const connection of this.#idle[state]) {
        const left = connection.idleSince + limit - now;
        if (left > 0) {
          next = Math.min(next, left);
          break; // the remaining connections have been idle for less time
        }
        this.#expire(connection);
      }
    }
    this.#timer = next === Number.POSITIVE_INFINITY ? undefined : this.#arm(next);
  }

  #expire(connection: Connection): void {
    this.#idle[connection.identity].delete(connection);
    connection.ends.close();
    this.#clock.setTimer(this.#limits.closeGraceMs, () => connection.ends.destroy(), { unref: true });
  }
}

/**
 * `unused`: no request yet. `unknown`: no request has proved an identity. `known`: at least one request has proved an
 * identity.
 */
type IdentityState = 'unused' | 'unknown' | 'known';

const closingOrder: readonly IdentityState[] = ['unused', 'unknown', 'known'];

interface ConnectionEvents {
  busy(connection: Connection): void;
  idle(connection: Connection): void;
}

/** A connection tracked by {@link Connections}. */
export class Connection implements TrackedConnection {
  /** Replaced once the protocol is known, because HTTP/2 has a graceful way to close. */
  ends: ConnectionEnds;
  identity: IdentityState = 'unused';
  idleSince = 0;
  readonly #events: ConnectionEvents;
  #requests = 0;

  constructor(ends: ConnectionEnds, events: ConnectionEvents) {
    this.ends = ends;
    this.#events = events;
  }

  begin(): void {
    if (this.#requests++ === 0) this.#events.busy(this);
  }

  end(known: boolean): void {
    const idle = --this.#requests === 0;
    if (known) this.identity = 'known';
    else if (this.identity === 'unused') this.identity = 'unknown';
    if (idle) this.#events.idle(this);
  }
}
