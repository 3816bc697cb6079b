import fc from 'fast-check';

/** What is done to a queue. */
export type Command =
  | { readonly type: 'add'; readonly key: string; readonly priority: number }
  | { readonly type: 'after'; readonly key: string; readonly delayMs: number; readonly priority: number }
  | { readonly type: 'retry'; readonly key: string; readonly priority: number }
  | { readonly type: 'requeue'; readonly key: string; readonly delayMs: number | undefined }
  | { readonly type: 'forget'; readonly key: string }
  | { readonly type: 'get' }
  | { readonly type: 'done'; readonly pick: number }
  | { readonly type: 'advance'; readonly ms: number };

/** Faults that queues have had. */
export type Flaw =
  /** One list, no note of who works on what. */
  | 'hands a key to two workers'
  /** What is added while the key is worked on is taken as dealt with. */
  | 'drops what comes meanwhile'
  /** Priorities alone (controller-runtime's queue, CR#3496). */
  | 'never ages'
  /** An event cancels a pending requeueAfter (controller-runtime's queue, §2.2.7). */
  | 'add cancels the timer'
  /** A key that is raised begins to wait anew. */
  | 'forgets the wait when raised';

interface Waiting {
  readonly key: string;
  readonly priority: number;
  readonly since: number;
  readonly order: number;
}

interface Timer {
  readonly key: string;
  readonly slot: string;
  readonly due: number;
  readonly priority: number;
  readonly order: number;
}

/**
 * What the queue must do, written down as plainly as possible, slow on purpose: client-go's dirty and processing sets, three
 * timers a key, priorities that age by a point in 100 ms. With a flaw it is the naive queue that the promises must catch.
 */
export class QueueModel {
  now = 0;
  ready: Waiting[] = [];
  readonly processing: Set<string> = new Set();
  readonly failures: Map<string, number> = new Map();
  #order = 0;
  #timers: Timer[] = [];
  readonly #dirty = new Map<string, number>();
  readonly #flaw: Flaw | undefined;

  constructor(flaw?: Flaw) {
    this.#flaw = flaw;
  }

  add(key: string, priority: number): void {
    if (this.#flaw === 'add cancels the timer') this.clear(key, 'requeue');
    if (this.processing.has(key) && this.#flaw !== 'hands a key to two workers') {
      if (this.#flaw === 'drops what comes meanwhile') return;
      this.#dirty.set(key, Math.max(priority, this.#dirty.get(key) ?? priority));
      return;
    }
    const old = this.ready.find((each) => each.key === key);
    if (old && old.priority >= priority) return;
    const gained = old && this.#flaw !== 'forgets the wait when raised' ? this.#exact(old) - priority : 0;
    this.ready = this.ready.filter((each) => each !== old);
    this.ready.push({ key, priority, since: this.now - 100 * Math.max(0, gained), order: this.#order++ });
  }

  wait(key: string, slot: string, timer: { readonly delayMs: number; readonly priority: number }): void {
    const old = this.#timers.find((each) => each.key === key && each.slot === slot);
    this.#timers = this.#timers.filter((each) => each !== old);
    const due = Math.min(this.now + timer.delayMs, old?.due ?? Number.POSITIVE_INFINITY);
    const priority = Math.max(timer.priority, old?.priority ?? timer.priority);
    this.#timers.push({ key, slot, due, priority, order: this.#order++ });
  }

  clear(key: string, slot: string): void {
    this.#timers = this.#timers.filter((each) => each.key !== key || each.slot !== slot);
  }

  get(): string | undefined {
    const standing = (each: Waiting): number => Math.floor(this.#exact(each));
    const best = [...this.ready].sort((a, b) => standing(b) - standing(a) || a.order - b.order)[0];
    if (!best) return undefined;
    // Of one priority, the oldest is up before its rank is compared with others.
    const level = this.ready.filter((each) => each.priority === best.priority);
    const first = [...level].sort((a, b) => a.since - b.since || a.order - b.order)[0]!;
    this.ready = this.ready.filter((each) => each !== first);
    this.processing.add(first.key);
    return first.key;
  }

  done(key: string): void {
    this.processing.delete(key);
    const priority = this.#dirty.get(key);
    this.#dirty.delete(key);
    if (priority !== undefined) this.add(key, priority);
  }

  advance(ms: number): void {
    const target = this.now + ms;
    for (;;) {
      const next = [...this.#timers].sort((a, b) => a.due - b.due || a.order - b.order)[0];
      if (!next || next.due > target) break;
      this.now = Math.max(this.now, next.due);
      this.#timers = this.#timers.filter((each) => each !== next);
      this.add(next.key, next.priority);
    }
    this.now = target;
  }

  retry(key: string, priority: number): void {
    const count = this.failures.get(key) ?? 0;
    this.failures.set(key, count + 1);
    this.wait(key, 'retry', { delayMs: Math.min(5 * 2 ** count, 1_000_000), priority });
  }

  #exact(each: Waiting): number {
    return this.#flaw === 'never ages' ? each.priority : each.priority + (this.now - each.since) / 100;
  }
}

const key = fc.constantFrom('a', 'b', 'c', 'd');
const priority = fc.constantFrom(-100, -3, -1, 0, 0, 0, 2);
const delayMs = fc.integer({ min: 1, max: 300 });

/** Anything that may be done to a queue, in the proportions in which controllers do it. */
export const command: fc.Arbitrary<Command> = fc.oneof(
  fc.record({ type: fc.constant('add' as const), key, priority }),
  fc.record({ type: fc.constant('after' as const), key, delayMs: fc.integer({ min: -1, max: 300 }), priority }),
  fc.record({ type: fc.constant('retry' as const), key, priority }),
  fc.record({ type: fc.constant('requeue' as const), key, delayMs: fc.option(delayMs, { nil: undefined }) }),
  fc.record({ type: fc.constant('forget' as const), key }),
  fc.constant({ type: 'get' as const }),
  fc.constant({ type: 'get' as const }),
  fc.record({ type: fc.constant('done' as const), pick: fc.nat(3) }),
  fc.record({ type: fc.constant('advance' as const), ms: fc.oneof(fc.nat(400), fc.constant(12_000)) }),
);
