import type { Clock, Timer } from '@kubewright/apimachinery';

/** A key that expires, and the value that the lifetime applies to. */
export interface ExpiringKey {
  readonly key: string;
  readonly revision: number;
}

/** The maximum number of keys that expire together: as many as a commit may write. */
const batchSize = 128;

/**
 * Deletes expired keys. Keys with the same time to live expire in the order of their writes, so a write needs no search; there are
 * few different times to live.
 */
export class Expiries implements Disposable {
  readonly #clock: Clock;
  readonly #expire: (due: readonly ExpiringKey[]) => Promise<void>;
  /** Keys by time to live. */
  readonly #queues = new Map<number, Map<string, { readonly revision: number; readonly atMs: number }>>();
  readonly #ttlOf = new Map<string, number>();
  #timer: Timer | undefined;
  #timerAtMs = 0;

  /** @param expire - deletes keys that are still at the given revision. */
  constructor(clock: Clock, expire: (due: readonly ExpiringKey[]) => Promise<void>) {
    this.#clock = clock;
    this.#expire = expire;
  }

  /** Sets the lifetime of a key's new value. `atMs` is its expiry, by the wall clock. */
  set(
    { key, revision }: ExpiringKey,
    { ttlSeconds, atMs }: { readonly ttlSeconds: number; readonly atMs: number },
  ): void {
    this.delete(key);
    const queue = this.#queues.get(ttlSeconds) ?? new Map();
    this.#queues.set(ttlSeconds, queue.set(key, { revision, atMs }));
    this.#ttlOf.set(key, ttlSeconds);
    this.#arm(atMs);
  }

  /** Forgets a key that was deleted or that no longer expires. */
  delete(key: string): void {
    if (this.#ttlOf.size === 0) return;
    const ttlSeconds = this.#ttlOf.get(key);
    if (ttlSeconds === undefined) return;
    this.#ttlOf.delete(key);
    this.#queues.get(ttlSeconds)?.delete(key);
  }

  /** Returns the time at which a key expires, by the wall clock; `undefined` if it does not. */
  atMs(key: string): number | undefined {
    return this.#queues.get(this.#ttlOf.get(key) ?? 0)?.get(key)?.atMs;
  }

  [Symbol.dispose](): void {
    this.#timer?.[Symbol.dispose]();
    this.#timer = undefined;
    this.#queues.clear();
    this.#ttlOf.clear();
  }

  #arm(atMs: number): void {
    if (this.#timer && this.#timerAtMs <= atMs) return;
    this.#timer?.[Symbol.dispose]();
    this.#timerAtMs = atMs;
    const delayMs = Math.max(atMs - this.#clock.now(), 0);
    this.#timer = this.#clock.setTimer(delayMs, () => void this.#wake(), { unref: true });
  }

  async #wake(): Promise<void> {
    this.#timer = undefined;
    for (let due = this.#takeDue(); due.length > 0; due = this.#takeDue()) await this.#expire(due);
    const firsts = [...this.#queues.values()].flatMap((queue) => [...queue.values()].slice(0, 1));
    if (firsts.length > 0) this.#arm(Math.min(...firsts.map(({ atMs }) => atMs)));
  }

  #takeDue(): readonly ExpiringKey[] {
    const nowMs = this.#clock.now();
    const due: ExpiringKey[] = [];
    for (const queue of this.#queues.values()) {
      for (const [key, { revision, atMs }] of queue) {
        if (atMs > nowMs || due.length === batchSize) break;
        due.push({ key, revision });
        this.delete(key);
      }
    }
    return due;
  }
}
