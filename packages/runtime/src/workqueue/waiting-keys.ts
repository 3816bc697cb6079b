import type { Clock, Timer } from '@kubewright/apimachinery';
import { BinaryHeap } from './binary-heap.ts';

/** The reason why a key waits; each key has one slot per reason. */
export type TimerSlot = 'delayed' | 'retry' | 'requeue';

/** A key that becomes due at a given time. */
export interface TimedKey {
  readonly key: string;
  readonly slot: TimerSlot;
  /** By the monotonic clock. */
  readonly dueMs: number;
  readonly priority: number;
}

interface Waiting extends TimedKey {
  readonly order: number;
}

/** Keys that become due at a given time. They share one timer. */
export class WaitingKeys {
  readonly #clock: Clock;
  readonly #onDue: (key: string, priority: number) => void;
  readonly #slots = new Map<string, Waiting>();
  /** Entries ordered by due time; entries that are no longer in `#slots` are stale. */
  readonly #heap = new BinaryHeap<Waiting>(isBefore);
  #timer: Timer | undefined;
  #timerDueMs = Number.POSITIVE_INFINITY;
  #order = 0;

  constructor(clock: Clock, onDue: (key: string, priority: number) => void) {
    this.#clock = clock;
    this.#onDue = onDue;
  }

  get size(): number {
    return this.#slots.size;
  }

  /** Iterates over all waiting keys, in no particular order. */
  all(): Iterable<TimedKey> {
    return this.#slots.values();
  }

  /** Schedules a key; if its slot is taken, the earlier time and the higher priority apply. */
  set(key: string, wait: Omit<TimedKey, 'key'>): void {
    const id = slotId(key, wait.slot);
    const old = this.#slots.get(id);
    const dueMs = Math.min(wait.dueMs, old?.dueMs ?? wait.dueMs);
    const priority = Math.max(wait.priority, old?.priority ?? wait.priority);
    const waiting: Waiting = { key, slot: wait.slot, dueMs, priority, order: this.#order++ };
    this.#slots.set(id, waiting);
    this.#heap.push(waiting);
    if (this.#heap.size > 64 && this.#heap.size > 2 * this.#slots.size) this.#heap.replace(this.#slots.values());
    this.#arm();
  }

  clear(key: string, slot: TimerSlot): void {
    if (this.#slots.size === 0) return;
    this.#slots.delete(slotId(key, slot));
    if (this.#slots.size === 0) this.#disarm();
  }

  clearAll(): void {
    this.#slots.clear();
    this.#heap.clear();
    this.#disarm();
  }

  #arm(): void {
    const next = this.#next();
    if (!next || next.dueMs >= this.#timerDueMs) return;
    this.#timer?.[Symbol.dispose]();
    this.#timerDueMs = next.dueMs;
    this.#timer = this.#clock.setTimer(next.dueMs - this.#clock.monotonic(), () => this.#fire());
  }

  #disarm(): void {
    this.#timer?.[Symbol.dispose]();
    this.#timer = undefined;
    this.#timerDueMs = Number.POSITIVE_INFINITY;
  }

  #fire(): void {
    this.#disarm();
    const now = this.#clock.monotonic();
    for (let next = this.#next(); next && next.dueMs <= now; next = this.#next()) {
      this.#heap.pop();
      this.#slots.delete(slotId(next.key, next.slot));
      this.#onDue(next.key, next.priority);
    }
    this.#arm();
  }

  #next(): Waiting | undefined {
    for (;;) {
      const top = this.#heap.first;
      if (!top || this.#slots.get(slotId(top.key, top.slot)) === top) return top;
      this.#heap.pop();
    }
  }
}

function slotId(key: string, slot: TimerSlot): string {
  return `${slot}:${key}`;
}

function isBefore(a: Waiting, b: Waiting): boolean {
  return a.dueMs < b.dueMs || (a.dueMs === b.dueMs && a.order < b.order);
}
