import { untilAborted } from '../../until-aborted.ts';
import { TurnQueue } from './turn-queue.ts';

/** A connection that carries several streams concurrently. */
export interface PooledSession {
  /** True if another stream may be opened. */
  readonly hasRoom: boolean;
  /** False once the connection accepts no new streams. Such connections do not count against the limit. */
  readonly usable: boolean;
  /** Resolves when the connection is ready for use; rejects if the connection fails first. */
  readonly ready: Promise<void>;
  /** Reserves a slot for a stream. */
  reserve(): void;
}

/** The connections for one class of calls (short or long-running), and the calls that wait for a slot. */
export class SessionGroup<S extends PooledSession> {
  readonly #maxSessions: number;
  readonly #open: () => Promise<S>;
  readonly #sessions = new Set<S>();
  readonly #turns = new TurnQueue();
  #growing: Promise<void> | undefined;

  /** @param options.open - opens a connection and adds it with {@link SessionGroup.add}. */
  constructor(options: { readonly maxSessions: number; readonly open: () => Promise<S> }) {
    this.#maxSessions = options.maxSessions;
    this.#open = options.open;
  }

  /** True while a connection is being opened. */
  get isGrowing(): boolean {
    return this.#growing !== undefined;
  }

  /** Adds a connection that `open` has opened. */
  add(session: S): void {
    this.#sessions.add(session);
  }

  /**
   * Adds a connection that was opened elsewhere; until it is ready, calls wait instead of opening another connection.
   */
  adopt(session: S): void {
    this.add(session);
    this.#grow(session.ready).catch(() => {
      // The waiting calls, if any, get this error.
    });
  }

  /**
   * Reserves a slot on a connection; if no slot is free, opens a connection or waits for a stream to end. Rejects with
   * the signal's reason.
   */
  async take(signal?: AbortSignal): Promise<S> {
    for (;;) {
      if (signal?.aborted) {
        // This call may have been woken for a slot that it will not use, so wake the next call.
        this.#turns.wakeOne();
        throw signal.reason;
      }
      for (const session of this.#sessions) {
        if (!session.hasRoom) continue;
        session.reserve();
        return session;
      }
      if (this.#growing) await untilAborted(this.#growing, signal);
      else if (this.#sessions.size < this.#maxSessions) await untilAborted(this.#grow(this.#dial()), signal);
      else await this.#turns.wait(signal);
    }
  }

  /** Called when a stream has ended: lets one waiting call retry. */
  onRelease(): void {
    this.#turns.wakeOne();
  }

  /** Called when a connection becomes ready, gets new limits, drains or closes: lets all waiting calls retry. */
  onChange(session: S): void {
    if (!session.usable) this.#sessions.delete(session);
    this.#turns.wakeAll();
  }

  async #dial(): Promise<void> {
    await (await this.#open()).ready;
  }

  #grow(opening: Promise<void>): Promise<void> {
    const growing = opening.finally(() => {
      if (this.#growing === growing) this.#growing = undefined;
    });
    this.#growing = growing;
    return growing;
  }
}
