import type { Clock, Timer } from '@kubewright/apimachinery';
import { exponentialDelay } from '@kubewright/apimachinery/internal';

/** Options for {@link PeriodicChecks}. */
export interface PeriodicChecksOptions {
  readonly clock: Clock;
  /** Checks a name. Returns false to request another check soon. At most one check per name runs at a time. */
  readonly check: (name: string) => Promise<boolean>;
  /** Time from a successful check to the next check, in milliseconds. */
  readonly everyMs: number;
  /** Time from the first failed check to the next check; doubles up to {@link everyMs}. */
  readonly retryMs: number;
  readonly onError: (error: unknown) => void;
}

interface Watched {
  failures: number;
  isChecking: boolean;
  isDue: boolean;
  timer: Timer | undefined;
}

/** Repeats checks: on request, soon after a failure, and periodically in any case. */
export class PeriodicChecks implements Disposable {
  readonly #options: PeriodicChecksOptions;
  readonly #watched = new Map<string, Watched>();

  constructor(options: PeriodicChecksOptions) {
    this.#options = options;
  }

  /** Checks a name now, or right after the check in progress. */
  check(name: string): void {
    let watched = this.#watched.get(name);
    if (watched === undefined) {
      watched = { failures: 0, isChecking: false, isDue: false, timer: undefined };
      this.#watched.set(name, watched);
    }
    watched.isDue = true;
    if (!watched.isChecking) void this.#run(name, watched);
  }

  /** Stops checking a name. */
  forget(name: string): void {
    this.#watched.get(name)?.timer?.[Symbol.dispose]();
    this.#watched.delete(name);
  }

  [Symbol.dispose](): void {
    for (const name of [...this.#watched.keys()]) this.forget(name);
  }

  async #run(name: string, watched: Watched): Promise<void> {
    watched.isChecking = true;
    watched.timer?.[Symbol.dispose]();
    while (watched.isDue && this.#watched.get(name) === watched) {
      watched.isDue = false;
      watched.failures = (await this.#succeeds(name)) ? 0 : watched.failures + 1;
    }
    watched.isChecking = false;
    if (this.#watched.get(name) !== watched) return;
    const { clock, everyMs, retryMs } = this.#options;
    const delayMs =
      watched.failures === 0 ? everyMs : exponentialDelay(watched.failures - 1, { initialMs: retryMs, maxMs: everyMs });
    watched.timer = clock.setTimer(delayMs, () => this.check(name), { unref: true });
  }

  async #succeeds(name: string): Promise<boolean> {
    try {
      return await this.#options.check(name);
    } catch (error) {
      this.#options.onError(error);
      return false;
    }
  }
}
