import type { Clock, Timer } from '@kubewright/apimachinery';

/** A key that expires, and the revision of the value that the lifetime applies to. */
export interface ExpiringKey {
  readonly key: string;
  readonly revision: number;
}

/** Maximum number of keys that expire together: as many as a commit may write. */
const batchSize = 128;

/**
 * Deletes expired keys. Few different times to live exist, and keys with the same time to live expire in the order of
 * their writes. Therefore, each time to live has a queue. TTLs follow the monotonic clock, like etcd's leases: setting
 * the wall clock back must not make Events live longer.
 */
export class Expiries implements Disposable {
  readonly #clock: Clock;
  readonly #expire: (due: readonly ExpiringKey[]) => Promise<void>;
  /** Keys by time to live. */
  readonly #queues = new Map<number, Map<string, { readonly revision: number; readonly dueMs: number }>>();
  readonly #ttlOf = new Map<string, number>();
  #timer: Timer | undefined;
  #timerDueMs = 0;

  /** @param expire - deletes keys that are still at the given revision. */
  constructor(clock: Clock, expire: (due: readonly ExpiringKey[]) => Promise<void>) {
    this.#clock = clock;
    this.#expire = expire;
  }

  /**
   * Sets when a key's new value expires.
   *
   * @param life - `leftMs`: the remaining lifetime; `ttlSeconds` by default
   */
  set(
    { key, revision }: ExpiringKey,
    { ttlSeconds, leftMs = ttlSeconds * 1000 }: { readonly ttlSeconds: number; readonly leftMs?: number },
  ): void {
    this.delete(key);
    const queue = this.#queues.get(ttlSeconds) ?? new Map();
    const dueMs = this.#clock.monotonic() + leftMs;
    this.#queues.set(ttlSeconds, queue.set(key, { revision, dueMs }));
    this.#ttlOf.set(key, ttlSeconds);
    this.#arm(dueMs);
  }

  /** Forgets a key that was deleted or no longer expires. */
  delete(key: string): void {
    if (this.#ttlOf.size === 0) return;
    const ttlSeconds = this.#ttlOf.get(key);
    if (ttlSeconds === undefined) return;
    this.#ttlOf.delete(key);
    this.#queues.get(ttlSeconds)?.delete(key);
  }

  [Symbol.dispose](): void {
    this.#timer?.[Symbol.dispose]();
    this.#timer = undefined;
    this.#queues.clear();
    this.#ttlOf.clear();
  }

  #arm(dueMs: number): void {
    if (this.#timer && this.#timerDueMs <= dueMs) return;
    this.#timer?.[Symbol.dispose]();
    this.#timerDueMs = dueMs;
    const delayMs = Math.max(dueMs - this.#clock.monotonic(), 0);
    this.#timer = this.#clock.setTimer(delayMs, () => void this.#wake(), { unref: true });
  }

  async #wake(): Promise<void> {
    this.#timer = undefined;
    for (let due = this.#takeDue(); due.length > 0; due = this.#takeDue()) await this.#expire(due);
    const firsts = [...this.#queues.values()].flatMap((queue) => [...queue.values()].slice(0, 1));
    if (firsts.length > 0) this.#arm(Math.min(...firsts.map(({ dueMs }) => dueMs)));
  }

  #takeDue(): readonly ExpiringKey[] {
    const nowMs = this.#clock.monotonic();
    const due: ExpiringKey[] = [];
    for (const queue of this.#queues.values()) {
      for (const [key, { revision, dueMs }] of queue) {
        if (dueMs > nowMs || due.length === batchSize) break;
        due.push({ key, revision });
        this.delete(key);
      }
    }
    return due;
  }
}
