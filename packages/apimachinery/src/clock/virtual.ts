import type { Clock, Timer } from './clock.ts';

interface Pending {
  readonly due: number;
  readonly order: number;
  readonly callback: () => void;
}

/**
 * A clock that moves only when advanced. Timers fire in order of due time, ties in order of creation. Promise continuations
 * run between two timers, so a chain of waits unfolds as it would in real time.
 *
 * @example
 * ```ts
 * const clock = new VirtualClock();
 * await clock.advance(60_000);
 * ```
 */
export class VirtualClock implements Clock {
  #wall: number;
  #elapsed = 0;
  #order = 0;
  readonly #pending = new Set<Pending>();

  /** @param startMs - initial wall time, in milliseconds since the epoch. @defaultValue 2026-01-01T00:00:00Z */
  constructor(startMs: number = Date.UTC(2026, 0, 1)) {
    this.#wall = startMs;
  }

  now(): number {
    return this.#wall + this.#elapsed;
  }

  monotonic(): number {
    return this.#elapsed;
  }

  setTimer(delayMs: number, callback: () => void): Timer {
    const entry: Pending = { due: onTick(this.#elapsed + Math.max(delayMs, 0)), order: this.#order++, callback };
    this.#pending.add(entry);
    return { [Symbol.dispose]: () => void this.#pending.delete(entry) };
  }

  /** Number of pending timers. */
  get pendingTimers(): number {
    return this.#pending.size;
  }

  /** Moves only the wall clock, as an administrator or NTP would; no timer fires. */
  jumpWall(ms: number): void {
    this.#wall += ms;
  }

  /**
   * Advances time by `ms`, firing timers as they fall due, and lets promises settle after each timer.
   *
   * @param options - `afterEach`: called at the start and after each timer, to wait for work that takes real time, such
   * as calls to a server. @defaultValue nothing
   */
  async advance(ms: number, { afterEach }: { readonly afterEach?: () => Promise<void> } = {}): Promise<void> {
    const settle = async (): Promise<void> => {
      await microtasks();
      await afterEach?.();
    };
    const target = onTick(this.#elapsed + ms);
    await settle();
    for (;;) {
      const next = this.#earliest();
      if (!next || next.due > target) break;
      this.#pending.delete(next);
      this.#elapsed = Math.max(this.#elapsed, next.due);
      next.callback();
      await settle();
    }
    this.#elapsed = target;
    await settle();
  }

  /** Advances to the next pending timer and fires it; returns false if no timer is pending. */
  async advanceToNext(): Promise<boolean> {
    const next = this.#earliest();
    if (!next) return false;
    await this.advance(Math.max(next.due - this.#elapsed, 0));
    return true;
  }

  #earliest(): Pending | undefined {
    let best: Pending | undefined;
    for (const entry of this.#pending) {
      if (!best || entry.due < best.due || (entry.due === best.due && entry.order < best.order)) best = entry;
    }
    return best;
  }
}

/**
 * Rounds up to the next multiple of 2⁻¹⁰ ms. Sums and differences of these multiples are exact, so a caller that waits
 * for the remaining time never wakes too early because of a rounding error.
 */
function onTick(ms: number): number {
  return Math.ceil(ms * 1024) / 1024;
}

/** Lets the continuations of settled promises run: runs a bounded number of microtask turns and takes no real time. */
async function microtasks(): Promise<void> {
  for (let i = 0; i < 64; i++) await undefined;
}
