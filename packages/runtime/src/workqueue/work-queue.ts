import type { Clock } from '@kubewright/apimachinery';
import { Few } from '../collection/few.ts';
import { exponentialRateLimiter, type RateLimiter } from './rate-limiter.ts';
import { ReadyQueue } from './ready-queue.ts';
import { type TimedKey, type TimerSlot, WaitingKeys } from './waiting-keys.ts';

/** What a queue tells of itself; controller-runtime's workqueue metrics are made from it. */
export interface WorkQueueMetrics {
  added(): void;
  retried(): void;
  /** The number of ready keys of a priority changed. */
  depthChanged(priority: number, delta: number): void;
  /** A key was handed out after waiting this long, in seconds. */
  handedOut(waitedSeconds: number): void;
  /** A key was done after this long, in seconds. */
  finished(workedSeconds: number): void;
}

/** Options of a {@link WorkQueue}. */
export interface WorkQueueOptions {
  readonly clock: Clock;
  /** @defaultValue per-key back-off, 5 ms doubling to 1,000 s */
  readonly rateLimiter?: RateLimiter;
  readonly metrics?: WorkQueueMetrics;
  /**
   * How many keys in a row may be handed out before the one that has waited longest, by a higher priority. That one is next
   * then, whatever its priority: keys of low priority get one of `maxOvertakes + 1` hand-outs while more urgent ones wait.
   *
   * @defaultValue 9: a tenth
   */
  readonly maxOvertakes?: number;
}

/** A key handed to a worker; the worker calls `done(key)` whatever happens. */
export interface WorkItem {
  readonly key: string;
  readonly priority: number;
}

/** How a key is added. */
export interface AddOptions {
  /** Higher goes first. @defaultValue 0 */
  readonly priority?: number;
}

/** What a queue has not done: for the next queue of the same controller. */
export interface PendingWork {
  /** Keys that are ready, or were added while they are worked on. */
  readonly ready: readonly WorkItem[];
  /** Keys that are worked on, and were not added meanwhile. */
  readonly working: readonly WorkItem[];
  /** Keys that wait for a time. */
  readonly timed: readonly TimedKey[];
}

/** Back-off where a rate limiter answers what is no number: the key is neither lost nor tried without a pause. */
const unsaidMs = 1_000;

interface Processing {
  readonly item: WorkItem;
  readonly startedMs: number;
}

/**
 * Hands each key to one worker at a time, once for however many adds came meanwhile.
 *
 * Timers: a key has three slots. `addAfter` keeps the earliest time and nothing erases it; `addRateLimited` is the back-off,
 * erased by `forget`; `requeueAfter` is what a reconcile's result asked for, replaced only by the next result. A key that is
 * added now runs now, and no slot is erased by that. Dedup and the dirty/processing sets mirror client-go's queue (1.36);
 * priorities are controller-runtime's (v0.24), but for a share of the hand-outs that goes by age, so that nothing starves.
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
  readonly #metrics: WorkQueueMetrics | undefined;
  readonly #ready: ReadyQueue;
  readonly #waiting: WaitingKeys;
  /** Keys that were added while they are worked on, and the priority they get. */
  readonly #dirty = new Map<string, number>();
  readonly #processing = new Few<Processing>();
  readonly #workers: ((item: WorkItem | undefined) => void)[] = [];
  readonly #idle: (() => void)[] = [];
  #shuttingDown = false;

  constructor(options: WorkQueueOptions) {
    this.#clock = options.clock;
    this.#limiter = options.rateLimiter ?? exponentialRateLimiter();
    this.#metrics = options.metrics;
    this.#ready = new ReadyQueue(options.maxOvertakes ?? 9);
    this.#waiting = new WaitingKeys(options.clock, (key, priority) => this.add(key, { priority }));
  }

  /** Number of keys that are ready. */
  get length(): number {
    return this.#ready.size;
  }

  /** True once {@link WorkQueue.shutDown} was called: what is added from then on is dropped. */
  get shuttingDown(): boolean {
    return this.#shuttingDown;
  }

  /** Adds a key. One that waits already is raised to the higher priority, not added twice. */
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

  /** Adds a key after a time, in milliseconds; of several such times the earliest holds. What is no number is no time: now. */
  addAfter(key: string, options: AddOptions & { readonly delayMs: number }): void {
    if (this.#shuttingDown) return;
    this.#metrics?.retried();
    if (options.delayMs > 0) this.#wait(key, 'delayed', options);
    else this.add(key, options);
  }

  /** Counts a failure and adds the key after its back-off, which it answers in milliseconds; undefined once shut down. */
  addRateLimited(key: string, options: AddOptions = {}): number | undefined {
    if (this.#shuttingDown) return undefined;
    this.#metrics?.retried();
    const limitMs = this.#limiter.when(key);
    const delayMs = isNumber(limitMs) ? limitMs : unsaidMs;
    this.#wait(key, 'retry', { ...options, delayMs });
    return delayMs;
  }

  /** Sets the time at which a reconcile's result asked to run again, in place of what an earlier one asked; `undefined` for never. */
  requeueAfter(key: string, options: (AddOptions & { readonly delayMs: number }) | undefined): void {
    this.#waiting.clear(key, 'requeue');
    if (!options || this.#shuttingDown) return;
    this.#metrics?.retried();
    if (options.delayMs > 0) this.#wait(key, 'requeue', options);
    else this.add(key, options);
  }

  /** Forgets a key's failures, and the retry that waits for its back-off. */
  forget(key: string): void {
    this.#limiter.forget(key);
    this.#waiting.clear(key, 'retry');
  }

  /** Failures of a key since it was last forgotten. */
  failures(key: string): number {
    return this.#limiter.failures(key);
  }

  /** Waits for the next key; `undefined` once the queue is shut down and drained. */
  get(): Promise<WorkItem | undefined> {
    const item = this.#take();
    if (item || (this.#shuttingDown && this.#ready.size === 0)) return Promise.resolve(item);
    return new Promise((resolve) => this.#workers.push(resolve));
  }

  /** Ends the work on a key; if it was added meanwhile, it is ready again. */
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

  /** The keys that are worked on. */
  working(): readonly string[] {
    return [...this.#processing].map(({ item }) => item.key);
  }

  /** Milliseconds that each key in work has been worked on. */
  workingFor(): readonly number[] {
    const now = this.#clock.monotonic();
    return [...this.#processing].map((each) => now - each.startedMs);
  }

  /** What is not done at this moment; of what is worked on nobody knows yet whether it will be. */
  pending(): PendingWork {
    const dirty = Array.from(this.#dirty, ([key, priority]) => ({ key, priority }));
    const ready = Array.from(this.#ready.keys(), ({ key, priority }) => ({ key, priority }));
    const working = [...this.#processing].flatMap(({ item: { key } }) =>
      this.#dirty.has(key) ? [] : [{ key, priority: 0 }],
    );
    return { ready: [...dirty, ...ready], working, timed: [...this.#waiting.all()] };
  }

  /** Takes over what another queue of the same clock has not done. Times that were waited for go on. */
  takeOver({ ready, working, timed }: PendingWork): void {
    for (const { key, priority } of [...working, ...ready]) this.add(key, { priority });
    for (const { key, ...wait } of timed) this.#waiting.set(key, wait);
  }

  /**
   * Takes no more keys and forgets those that wait for a time.
   *
   * @param options.drain - hands out what is ready first; otherwise it is dropped. @defaultValue false
   * @returns a promise of the moment when no key is worked on.
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

  /** There are no more of them than workers. */
  #inWork(key: string): Processing | undefined {
    return this.#processing.find(({ item }) => item.key === key);
  }

  #wait(key: string, slot: TimerSlot, options: AddOptions & { readonly delayMs: number }): void {
    this.#waiting.set(key, { slot, dueMs: this.#clock.monotonic() + options.delayMs, priority: options.priority ?? 0 });
  }

  /** @param before - its priority if it is ready already. */
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

/** A rate limiter may be anybody's. */
function isNumber(value: unknown): boolean {
  return typeof value === 'number' && !Number.isNaN(value);
}
