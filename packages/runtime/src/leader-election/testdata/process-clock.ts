import type { Clock, Timer, VirtualClock } from '@kubewright/apimachinery';

/** Maximum time for which a candidate does not read its clocks: its wait for a response, by the slowest clock. */
const looksEveryMs = 6_000;

interface Entry {
  readonly callback: () => void;
  suspendedMs: number;
  timer: Timer;
  disposed: boolean;
}

/**
 * The clocks of one of several simulated processes. They may run fast or slow, the wall clock may jump, the process may be
 * stopped (SIGSTOP: both clocks continue), or the machine may be suspended (the monotonic clock stops). No timer fires while the
 * process is stopped.
 */
export class ProcessClock implements Clock {
  readonly #base: VirtualClock;
  readonly #rate: number;
  #wallMs = 0;
  #suspendedMs = 0;
  #jumpedAtMs = Number.NEGATIVE_INFINITY;
  #wokeAtMs = Number.NEGATIVE_INFINITY;
  #stopped: { readonly sinceMs: number; readonly suspended: boolean } | undefined;
  readonly #late: Entry[] = [];
  readonly #waiting: (() => void)[] = [];

  constructor(base: VirtualClock, options: { readonly rate?: number } = {}) {
    this.#base = base;
    this.#rate = options.rate ?? 1;
  }

  now(): number {
    return this.#base.now() + this.#wallMs;
  }

  monotonic(): number {
    return (this.#base.monotonic() - this.#suspendedMs) * this.#rate;
  }

  setTimer(delayMs: number, callback: () => void): Timer {
    const entry: Entry = { callback, suspendedMs: this.#suspendedMs, disposed: false, timer: this.#arm(delayMs / this.#rate, () => this.#fire(entry)) };
    return {
      [Symbol.dispose]: () => {
        entry.disposed = true;
        entry.timer[Symbol.dispose]();
      },
    };
  }

  /**
   * Moves only the wall clock of this process. Ignored while the machine is suspended, and after it resumes until the process has
   * read its clocks once: a jump back by the length of the suspension would hide it. For the same reason, a machine is not
   * suspended right after its clock was set.
   */
  jumpWall(ms: number): void {
    if (this.#stopped?.suspended || this.#base.monotonic() - this.#wokeAtMs < looksEveryMs) return;
    this.#jumpedAtMs = this.#base.monotonic();
    this.#wallMs += ms;
  }

  /** Stops the process; with `suspended`, suspends its machine. */
  stop(options: { readonly suspended: boolean }): void {
    const sinceMs = this.#base.monotonic();
    const suspended = options.suspended && sinceMs - this.#jumpedAtMs >= looksEveryMs;
    this.#stopped ??= { sinceMs, suspended };
  }

  get isStopped(): boolean {
    return this.#stopped !== undefined;
  }

  /** Resumes the process: pending work runs first, then the timers that are due. In reality, either may run first. */
  resume(): void {
    if (!this.#stopped) return;
    const { sinceMs, suspended } = this.#stopped;
    this.#stopped = undefined;
    if (suspended) {
      this.#wokeAtMs = this.#base.monotonic();
      this.#suspendedMs += this.#wokeAtMs - sinceMs;
    }
    for (const go of this.#waiting.splice(0)) go();
    for (const entry of this.#late.splice(0)) entry.timer = this.#arm(0, () => this.#fire(entry));
  }

  /** Resolves as soon as the process is running, because nothing reaches a stopped process. */
  async running(): Promise<void> {
    while (this.#stopped) await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  #arm(delayMs: number, fire: () => void): Timer {
    return this.#base.setTimer(delayMs, fire);
  }

  #fire(entry: Entry): void {
    if (entry.disposed) return;
    if (this.#stopped) {
      this.#late.push(entry);
      return;
    }
    const slept = this.#suspendedMs - entry.suspendedMs;
    entry.suspendedMs = this.#suspendedMs;
    if (slept > 0) entry.timer = this.#arm(slept, () => this.#fire(entry));
    else entry.callback();
  }
}
