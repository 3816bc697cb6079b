import type { Clock } from '@kubewright/apimachinery';
import { SmallSet } from '../collection/small-set.ts';
import { exponentialRateLimiter, type RateLimiter } from './rate-limiter.ts';
import { ReadyQueue } from './ready-queue.ts';
import { type TimedKey, type TimerSlot, WaitingKeys } from './waiting-keys.ts';

/** Records events of a queue; the source of controller-runtime's workqueue metrics. */
export interface WorkQueueMetrics {
  added(): void;
  retried(): void;
  /** The number of ready keys of a priority changed. */
  depthChanged(priority: number, delta: number): void;
  /** A key was handed out after waiting this long, in seconds. */
  handedOut(waitedSeconds: number): void;
  /** Work on a key took this long, in seconds. */
  finished(workedSeconds: number): void;
}

export interface WorkQueueOptions {
  readonly clock: Clock;
  /** @defaultValue per-key backoff, 5 ms doubling to 1,000 s */
  readonly rateLimiter?: RateLimiter | undefined;
  /**
   * Called with an error of the rate limiter; the failed key is then retried after a second.
   * @defaultValue ignores the error
   */
  readonly onLimiterError?: ((error: unknown) => void) | undefined;
  readonly metrics?: WorkQueueMetrics | undefined;
  /**
   * Maximum number of keys of higher priority handed out in a row before the key that has waited longest. After this
   * number, the longest-waiting key is next, regardless of its priority. While more urgent keys wait, one in every
   * `maxOvertakes + 1` keys handed out therefore has low priority.
   * @defaultValue 9 (one in ten)
   */
  readonly maxOvertakes?: number | undefined;
}

/** A key handed to a worker; the worker must always call `done(key)`. */
export interface WorkItem {
  readonly key: string;
  readonly priority: number;
}

/** Options for adding a key. */
export interface AddOptions {
  /** Higher values come first. @defaultValue 0 */
  readonly priority?: number;
}

/** The unfinished work of a queue, for the next queue of the same controller. */
export interface PendingWork {
  /** Keys that are ready, or were added while being worked on. */
  readonly ready: readonly WorkItem[];
  /** Keys being worked on that were not added again in the meantime. */
  readonly working: readonly WorkItem[];
  /** Keys that become due later. */
  readonly timed: readonly TimedKey[];
}

/**
 * Backoff if a rate limiter throws or returns anything other than a valid number, so that the key is neither lost nor
 * retried without a delay.
 */
const fallbackMs = 1_000;

interface Processing {
  readonly item: WorkItem;
  readonly startedMs: number;
}

/**
 * A queue that hands each key to one worker at a time, and merges all adds made in the meantime into one.
 *
 * Timers: a key has three slots. `addAfter` keeps the earliest time, which is never erased; `addRateLimited` is the
 * backoff, erased by `forget`; `requeueAfter` is the time requested by a reconcile's result, replaced only by the next
 * result. `add` makes a key ready immediately and clears no slot. Deduplication and the dirty/processing sets mirror
 * client-go's queue (1.36); priorities mirror controller-runtime's (v0.24), except that some keys are handed out by
 * age, so that no key starves.
 *
 * @example
 * ```ts
 * for (let item = await queue.get(); item; item = await queue.get()) {
 *   try {
 *     await work(item.key);
 *     queue.forget(item.key);
 *   } catch {
 *     queue.addRateLimited(item.key);
 *   } finally {
 *     queue.done(item.key);
 *   }
 * }
 * ```
 */
export class WorkQueue {
  readonly #clock: Clock;
  readonly #limiter: RateLimiter;
  readonly #onLimiterError: (error: unknown) => void;
  readonly #metrics: WorkQueueMetrics | undefined;
  readonly #ready: ReadyQueue;
  readonly #waiting: WaitingKeys;
  /** Keys added while being worked on, with the priority that they get. */
  readonly #dirty = new Map<string, number>();
  readonly #processing = new SmallSet<Processing>();
  readonly #workers: ((item: WorkItem | undefined) => void)[] = [];
  readonly #idle: (() => void)[] = [];
  #shuttingDown = false;

  constructor(options: WorkQueueOptions) {
    this.#clock = options.clock;
    this.#limiter = options.rateLimiter ?? exponentialRateLimiter();
    this.#onLimiterError = options.onLimiterError ?? (() => {});
    this.#metrics = options.metrics;
    this.#ready = new ReadyQueue(options.maxOvertakes ?? 9);
    this.#waiting = new WaitingKeys(options.clock, (key, priority) => this.add(key, { priority }));
  }

  /** Number of keys that are ready. */
  get length(): number {
    return this.#ready.size;
  }

  /** True once {@link WorkQueue.shutDown} was called; keys added later are dropped. */
  get shuttingDown(): boolean {
    return this.#shuttingDown;
  }

  /** Adds a key. A key that is already waiting is raised to the higher priority, not added twice. */
  add(key: string, options: AddOptions = {}): void {
    if (this.#shuttingDown) return;
    const { priority = 0 } = options;
    if (this.#inWork(key)) {
      const dirty = this.#dirty.get(key);
      if (dirty === undefined) this.#metrics?.added();
      if (dirty === undefined || priority > dirty) this.#dirty.set(key, priority);
      return;
    }
    const before = this.#ready.priorityOf(key);
    if (before === undefined) this.#metrics?.added();
    else if (before >= priority) return;
    this.#push(key, priority, before);
    this.#feed();
  }

  /**
   * Adds a key after a delay in milliseconds; if several delays were requested, the earliest time applies. NaN counts as no
   * delay.
   */
  addAfter(key: string, options: AddOptions & { readonly delayMs: number }): void {
    if (this.#shuttingDown) return;
    this.#metrics?.retried();
    if (options.delayMs > 0) this.#wait(key, 'delayed', options);
    else this.add(key, options);
  }

  /**
   * Counts a failure and adds the key after its backoff. Returns the backoff in milliseconds; undefined after shutdown.
   */
  addRateLimited(key: string, options: AddOptions = {}): number | undefined {
    if (this.#shuttingDown) return undefined;
    this.#metrics?.retried();
    const delayMs = this.#backoff(key);
    this.#wait(key, 'retry', { ...options, delayMs });
    return delayMs;
  }

  /**
   * Sets the time at which a reconcile's result requested the next run, replacing the time requested by the previous result;
   * `undefined` means never.
   */
  requeueAfter(key: string, options: (AddOptions & { readonly delayMs: number }) | undefined): void {
    this.#waiting.clear(key, 'requeue');
    if (!options || this.#shuttingDown) return;
    this.#metrics?.retried();
    if (options.delayMs > 0) this.#wait(key, 'requeue', options);
    else this.add(key, options);
  }

  /** Forgets a key's failures and its pending retry. */
  forget(key: string): void {
    this.#waiting.clear(key, 'retry');
    try {
      this.#limiter.forget(key);
    } catch (error) {
      this.#onLimiterError(error);
    }
  }

  /** Returns the failures of a key since it was last forgotten. */
  failures(key: string): number {
    return this.#limiter.failures(key);
  }

  /** Waits for the next key; `undefined` once the queue is shut down and drained. */
  get(): Promise<WorkItem | undefined> {
    const item = this.#take();
    if (item || (this.#shuttingDown && this.#ready.size === 0)) return Promise.resolve(item);
    return new Promise((resolve) => this.#workers.push(resolve));
  }

  /** Ends the work on a key. A key that was added in the meantime becomes ready again. */
  done(key: string): void {
    const processing = this.#inWork(key);
    if (!processing) return;
    this.#processing.delete(processing);
    this.#metrics?.finished((this.#clock.monotonic() - processing.startedMs) / 1000);
    const dirty = this.#dirty.get(key);
    this.#dirty.delete(key);
    if (dirty !== undefined) this.#push(key, dirty, undefined);
    this.#feed();
    if (this.#shuttingDown) this.#endWorkers();
  }

  /** Returns the keys being worked on. */
  working(): readonly string[] {
    return [...this.#processing].map(({ item }) => item.key);
  }

  /** Returns the milliseconds spent so far on each key being worked on. */
  workingFor(): readonly number[] {
    const now = this.#clock.monotonic();
    return [...this.#processing].map((each) => now - each.startedMs);
  }

  /** Returns the work that is currently unfinished; keys being worked on are included, because their outcome is unknown. */
  pending(): PendingWork {
    const dirty = Array.from(this.#dirty, ([key, priority]) => ({ key, priority }));
    const ready = Array.from(this.#ready.keys(), ({ key, priority }) => ({ key, priority }));
    const working = [...this.#processing].flatMap(({ item: { key } }) =>
      this.#dirty.has(key) ? [] : [{ key, priority: 0 }],
    );
    return { ready: [...dirty, ...ready], working, timed: [...this.#waiting.all()] };
  }

  /** Takes over the unfinished work of another queue with the same clock. Pending timers continue. */
  takeOver({ ready, working, timed }: PendingWork): void {
    for (const { key, priority } of [...working, ...ready]) this.add(key, { priority });
    for (const { key, ...wait } of timed) this.#waiting.set(key, wait);
  }

  /**
   * Accepts no more keys and drops keys that become due later.
   * @param options.drain - hands out ready keys first; otherwise they are dropped. @defaultValue false
   * @returns a promise that resolves when no key is being worked on.
   */
  shutDown(options: { readonly drain?: boolean } = {}): Promise<void> {
    this.#shuttingDown = true;
    this.#waiting.clearAll();
    if (!options.drain) {
      this.#dirty.clear();
      for (const [priority, count] of this.#ready.clear()) this.#metrics?.depthChanged(priority, -count);
    }
    this.#endWorkers();
    if (this.#processing.size === 0 && this.#ready.size === 0) return Promise.resolve();
    return new Promise((resolve) => this.#idle.push(resolve));
  }

  #backoff(key: string): number {
    try {
      const limitMs = this.#limiter.when(key);
      return isNumber(limitMs) ? limitMs : fallbackMs;
    } catch (error) {
      this.#onLimiterError(error);
      return fallbackMs;
    }
  }

  /** Finds the entry of a key being worked on. A scan is cheap, because there are never more entries than workers. */
  #inWork(key: string): Processing | undefined {
    return this.#processing.find(({ item }) => item.key === key);
  }

  #wait(key: string, slot: TimerSlot, options: AddOptions & { readonly delayMs: number }): void {
    this.#waiting.set(key, { slot, dueMs: this.#clock.monotonic() + options.delayMs, priority: options.priority ?? 0 });
  }

  /** @param before - the current priority if the key is already ready. */
  #push(key: string, priority: number, before: number | undefined): void {
    if (before !== undefined) this.#metrics?.depthChanged(before, -1);
    this.#ready.push(key, { priority, nowMs: this.#clock.monotonic() });
    this.#metrics?.depthChanged(priority, 1);
  }

  #take(): WorkItem | undefined {
    const now = this.#clock.monotonic();
    const next = this.#ready.pop();
    if (!next) return undefined;
    const item: WorkItem = { key: next.key, priority: next.priority };
    this.#processing.add({ item, startedMs: now });
    this.#metrics?.depthChanged(next.priority, -1);
    this.#metrics?.handedOut((now - next.addedMs) / 1000);
    return item;
  }

  #feed(): void {
    while (this.#workers.length > 0) {
      const item = this.#take();
      if (!item) return;
      this.#workers.shift()!(item);
    }
  }

  #endWorkers(): void {
    if (this.#ready.size > 0) return;
    for (const worker of this.#workers.splice(0)) worker(undefined);
    if (this.#processing.size === 0) for (const idle of this.#idle.splice(0)) idle();
  }
}

/** Reports whether the value is a number other than NaN. A custom rate limiter may return any value. */
function isNumber(value: unknown): boolean {
  return typeof value === 'number' && !Number.isNaN(value);
}
