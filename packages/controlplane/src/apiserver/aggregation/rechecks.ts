import type { Clock, Timer } from '@kubewright/apimachinery';

/** Options of {@link Rechecks}. */
export interface RechecksOptions {
  readonly clock: Clock;
  /** Looks at one; false means "look again soon". At most one look per name at a time. */
  readonly look: (name: string) => Promise<boolean>;
  /** How long after a look that went well the next one comes, in milliseconds. */
  readonly everyMs: number;
  /** How long after the first look that did not go well the next one comes; it doubles up to {@link everyMs}. */
  readonly retryMs: number;
  readonly onError: (error: unknown) => void;
}

interface Watched {
  failures: number;
  isLooking: boolean;
  isDue: boolean;
  timer: Timer | undefined;
}

/** Looks at things again and again: when told to, soon after a failure, and once in a while in any case. */
export class Rechecks implements Disposable {
  readonly #options: RechecksOptions;
  readonly #watched = new Map<string, Watched>();

  constructor(options: RechecksOptions) {
    this.#options = options;
  }

  /** Has a name looked at now, or right after the look that is under way. */
  look(name: string): void {
    let watched = this.#watched.get(name);
    if (watched === undefined) {
      watched = { failures: 0, isLooking: false, isDue: false, timer: undefined };
      this.#watched.set(name, watched);
    }
    watched.isDue = true;
    if (!watched.isLooking) void this.#run(name, watched);
  }

  /** Looks at a name no more. */
  forget(name: string): void {
    this.#watched.get(name)?.timer?.[Symbol.dispose]();
    this.#watched.delete(name);
  }

  [Symbol.dispose](): void {
    for (const name of [...this.#watched.keys()]) this.forget(name);
  }

  async #run(name: string, watched: Watched): Promise<void> {
    watched.isLooking = true;
    watched.timer?.[Symbol.dispose]();
    while (watched.isDue && this.#watched.get(name) === watched) {
      watched.isDue = false;
      watched.failures = (await this.#goesWell(name)) ? 0 : watched.failures + 1;
    }
    watched.isLooking = false;
    if (this.#watched.get(name) !== watched) return;
    const { clock, everyMs, retryMs } = this.#options;
    const delayMs = watched.failures === 0 ? everyMs : Math.min(retryMs * 2 ** (watched.failures - 1), everyMs);
    watched.timer = clock.setTimer(delayMs, () => this.look(name), { unref: true });
  }

  async #goesWell(name: string): Promise<boolean> {
    try {
      return await this.#options.look(name);
    } catch (error) {
      this.#options.onError(error);
      return false;
    }
  }
}
