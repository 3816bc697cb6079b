import fc from 'fast-check';

/** An operation on a queue. */
export type Command =
  | { readonly type: 'add'; readonly key: string; readonly priority: number }
  | { readonly type: 'after'; readonly key: string; readonly delayMs: number; readonly priority: number }
  | { readonly type: 'retry'; readonly key: string; readonly priority: number }
  | { readonly type: 'requeue'; readonly key: string; readonly delayMs: number | undefined }
  | { readonly type: 'forget'; readonly key: string }
  | { readonly type: 'get' }
  | { readonly type: 'done'; readonly pick: number }
  | { readonly type: 'advance'; readonly ms: number };

/** Bugs that real queues have had. */
export type Flaw =
  /** One list, without a record of the keys being worked on. */
  | 'hands a key to two workers'
  /** A key that is added while it is being worked on counts as processed. */
  | 'drops keys added during work'
  /** Orders by priority alone (controller-runtime's queue, CR#3496). */
  | 'never ages'
  /** Raises the priority by one every 100 ms, so keys from startup come before the user's edit. */
  | 'lets age override priority'
  /** An event cancels a pending requeueAfter (controller-runtime's queue, §2.2.7). */
  | 'add cancels the timer'
  /** A key whose priority is raised loses its age. */
  | 'loses its age when raised';

/** Low, so that short runs reach the limit. */
export const maxOvertakes = 1;

interface Waiting {
  readonly key: string;
  readonly priority: number;
  readonly since: number;
  /** The key's position by age. */
  readonly age: number;
  /** The key's position within its priority. */
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
 * A specification of the queue, as plain as possible and slow on purpose: client-go's dirty and processing sets, three timers
 * per key, priorities, and the key that has waited longest after it was overtaken {@link maxOvertakes} times in a row. With a
 * flaw, it is a naive queue whose bug the tests must detect.
 */
export class QueueModel {
  now = 0;
  ready: Waiting[] = [];
  readonly processing: Set<string> = new Set();
  readonly failures: Map<string, number> = new Map();
  #order = 0;
  #overtakes = 0;
  #timers: Timer[] = [];
  readonly #dirty = new Map<string, number>();
  readonly #flaw: Flaw | undefined;

  constructor(flaw?: Flaw) {
    this.#flaw = flaw;
  }

  add(key: string, priority: number): void {
    if (this.#flaw === 'add cancels the timer') this.clear(key, 'requeue');
    if (this.processing.has(key) && this.#flaw !== 'hands a key to two workers') {
      if (this.#flaw === 'drops keys added during work') return;
      this.#dirty.set(key, Math.max(priority, this.#dirty.get(key) ?? priority));
      return;
    }
    const old = this.ready.find((each) => each.key === key);
    if (old && old.priority >= priority) return;
    this.ready = this.ready.filter((each) => each !== old);
    const order = this.#order++;
    const kept = this.#flaw === 'loses its age when raised' ? undefined : old;
    this.ready.push({ key, priority, since: kept?.since ?? this.now, age: kept?.age ?? order, order });
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
    const rank = (each: Waiting): number =>
      this.#flaw === 'lets age override priority' ? each.priority + (this.now - each.since) / 100 : each.priority;
    const urgent = [...this.ready].sort((a, b) => rank(b) - rank(a) || a.order - b.order)[0];
    const oldest = [...this.ready].sort((a, b) => a.age - b.age)[0];
    if (!urgent || !oldest) return undefined;
    const isDue = this.#overtakes >= maxOvertakes && this.#flaw !== 'never ages';
    const first = isDue ? oldest : urgent;
    this.#overtakes = first === oldest ? 0 : this.#overtakes + 1;
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
}

const key = fc.constantFrom('a', 'b', 'c', 'd');
const priority = fc.constantFrom(-100, -3, -1, 0, 0, 0, 2);
const delayMs = fc.integer({ min: 1, max: 300 });

/** Generates operations on a queue, in the proportions in which controllers use them. */
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
