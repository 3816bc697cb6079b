import type { Clock, Timer } from '@kubewright/apimachinery';
import type { HttpLimits } from './limits.ts';

/** One socket of a client, from its first packet on. */
export interface TrackedConnection {
  /** A request begins: the connection is not idle until {@link end}. */
  begin(): void;
  /** A request was answered. `known` says that it proved an identity, which lets the connection stay longer than others. */
  end(known: boolean): void;
}

/** How to end a connection. */
export interface ConnectionEnds {
  /** Asks the client to reconnect; requests that are just arriving may still be answered. */
  close(): void;
  /** Cuts it. */
  destroy(): void;
}

/**
 * Bounds how many connections there are and how long they may stay idle. A flood of connections without requests, which
 * needs no credentials, must not lock clients out: each new connection takes the place of the one that is idle longest.
 */
export class Connections {
  readonly #clock: Clock;
  readonly #limits: HttpLimits;
  readonly #all = new Set<Connection>();
  /** Idle connections, the longest idle first, in the order in which they give way. */
  readonly #idle: Readonly<Record<Standing, Set<Connection>>> = {
    unused: new Set(),
    unknown: new Set(),
    known: new Set(),
  };
  #timer: Timer | undefined;

  constructor(options: { readonly clock: Clock; readonly limits: HttpLimits }) {
    this.#clock = options.clock;
    this.#limits = options.limits;
  }

  /** How many connections are open. */
  get size(): number {
    return this.#all.size;
  }

  /**
   * Takes a new connection in; if there are too many, the one that is idle longest is cut for it.
   *
   * @returns undefined when all others have requests under way: the caller refuses the new one
   */
  add(ends: ConnectionEnds): Connection | undefined {
    if (this.#all.size >= this.#limits.maxConnections && !this.#makeRoom()) return undefined;
    const connection = new Connection(ends, {
      busy: (it) => this.#idle[it.standing].delete(it),
      idle: (it) => this.#rest(it),
    });
    this.#all.add(connection);
    this.#rest(connection);
    return connection;
  }

  /** Forgets a connection that has closed. */
  remove(connection: Connection): void {
    this.#all.delete(connection);
    this.#idle[connection.standing].delete(connection);
  }

  /** Stops looking for idle connections. */
  stop(): void {
    this.#timer?.[Symbol.dispose]();
    this.#timer = undefined;
  }

  #makeRoom(): boolean {
    for (const standing of STANDINGS) {
      const [oldest] = this.#idle[standing];
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
    this.#idle[connection.standing].add(connection);
    this.#timer ??= this.#arm(this.#limitOf(connection.standing));
  }

  #limitOf(standing: Standing): number {
    return standing === 'unused' ? this.#limits.firstRequestTimeoutMs : this.#limits.keepAliveMs;
  }

  #arm(delayMs: number): Timer {
    return this.#clock.setTimer(delayMs, () => this.#sweep(), { unref: true });
  }

  #sweep(): void {
    const now = this.#clock.monotonic();
    let next = Number.POSITIVE_INFINITY;
    for (const standing of STANDINGS) {
      const limit = this.#limitOf(standing);
      for (const connection of this.#idle[standing]) {
        const left = connection.idleSince + limit - now;
        if (left > 0) {
          next = Math.min(next, left);
          break; // the others have been idle for less time
        }
        this.#expire(connection);
      }
    }
    this.#timer = next === Number.POSITIVE_INFINITY ? undefined : this.#arm(next);
  }

  #expire(connection: Connection): void {
    this.#idle[connection.standing].delete(connection);
    connection.ends.close();
    this.#clock.setTimer(this.#limits.closeGraceMs, () => connection.ends.destroy(), { unref: true });
  }
}

/** `unused`: no request yet; `unknown`: no request so far proved an identity; `known`: one did. */
type Standing = 'unused' | 'unknown' | 'known';

const STANDINGS: readonly Standing[] = ['unused', 'unknown', 'known'];

interface ConnectionEvents {
  busy(connection: Connection): void;
  idle(connection: Connection): void;
}

/** A connection as {@link Connections} counts it. */
export class Connection implements TrackedConnection {
  /** Replaced once the protocol is known, which has gentler ways to close. */
  ends: ConnectionEnds;
  standing: Standing = 'unused';
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
    if (known) this.standing = 'known';
    else if (this.standing === 'unused') this.standing = 'unknown';
    if (idle) this.#events.idle(this);
  }
}
