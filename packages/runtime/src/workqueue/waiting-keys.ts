import type { Clock, Timer } from '@kubewright/apimachinery';

/** Why a key waits for a time; each key has one place for each. */
export type TimerSlot = 'delayed' | 'retry' | 'requeue';

interface Waiting {
  readonly key: string;
  readonly slot: TimerSlot;
  readonly dueMs: number;
  readonly priority: number;
  readonly order: number;
}

/** Keys that wait for a time, behind one timer of the clock. */
export class WaitingKeys {
  readonly #clock: Clock;
  readonly #onDue: (key: string, priority: number) => void;
  readonly #slots = new Map<string, Waiting>();
  /** A binary heap by due time; entries that left `#slots` are husks. */
  #heap: Waiting[] = [];
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

  /** Lets a key wait; in a slot that is taken already, the earlier time and the higher priority hold. */
  set(key: string, wait: { readonly slot: TimerSlot; readonly dueMs: number; readonly priority: number }): void {
    const id = slotId(key, wait.slot);
    const old = this.#slots.get(id);
    const dueMs = Math.min(wait.dueMs, old?.dueMs ?? wait.dueMs);
    const priority = Math.max(wait.priority, old?.priority ?? wait.priority);
    const waiting: Waiting = { key, slot: wait.slot, dueMs, priority, order: this.#order++ };
    this.#slots.set(id, waiting);
    push(this.#heap, waiting);
    if (this.#heap.length > 64 && this.#heap.length > 2 * this.#slots.size) this.#dropHusks();
    this.#arm();
  }

  clear(key: string, slot: TimerSlot): void {
    if (this.#slots.size === 0) return;
    this.#slots.delete(slotId(key, slot));
    if (this.#slots.size === 0) this.#disarm();
  }

  clearAll(): void {
    this.#slots.clear();
    this.#heap = [];
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
      pop(this.#heap);
      this.#slots.delete(slotId(next.key, next.slot));
      this.#onDue(next.key, next.priority);
    }
    this.#arm();
  }

  #next(): Waiting | undefined {
    for (;;) {
      const top = this.#heap[0];
      if (!top || this.#slots.get(slotId(top.key, top.slot)) === top) return top;
      pop(this.#heap);
    }
  }

  #dropHusks(): void {
    this.#heap = [...this.#slots.values()].sort((a, b) => a.dueMs - b.dueMs || a.order - b.order);
  }
}

function slotId(key: string, slot: TimerSlot): string {
  return `${slot}:${key}`;
}

function before(a: Waiting, b: Waiting): boolean {
  return a.dueMs < b.dueMs || (a.dueMs === b.dueMs && a.order < b.order);
}

function push(heap: Waiting[], waiting: Waiting): void {
  let i = heap.push(waiting) - 1;
  while (i > 0) {
    const parent = (i - 1) >> 1;
    if (!before(waiting, heap[parent]!)) break;
    heap[i] = heap[parent]!;
    i = parent;
  }
  heap[i] = waiting;
}

function pop(heap: Waiting[]): void {
  const last = heap.pop();
  if (!last || heap.length === 0) return;
  let i = 0;
  for (;;) {
    let child = 2 * i + 1;
    if (child >= heap.length) break;
    if (child + 1 < heap.length && before(heap[child + 1]!, heap[child]!)) child++;
    if (!before(heap[child]!, last)) break;
    heap[i] = heap[child]!;
    i = child;
  }
  heap[i] = last;
}
