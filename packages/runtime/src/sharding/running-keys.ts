import { type Clock, sleep } from '@kubewright/apimachinery';

/** Keys on which reconciles run, and a way to wait for the end of some. */
export class RunningKeys {
  readonly #counts = new Map<string, number>();
  #ended = new AbortController();

  /** Takes note of a reconcile; disposed at its end. */
  enter(key: string): Disposable {
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1);
    let left = false;
    return {
      [Symbol.dispose]: () => {
        if (left) return;
        left = true;
        const count = (this.#counts.get(key) ?? 0) - 1;
        if (count > 0) this.#counts.set(key, count);
        else this.#counts.delete(key);
        const ended = this.#ended;
        this.#ended = new AbortController();
        ended.abort();
      },
    };
  }

  /** True if something runs for a key of which this holds. */
  some(test: (key: string) => boolean): boolean {
    for (const key of this.#counts.keys()) if (test(key)) return true;
    return false;
  }

  /** Waits until some reconcile has ended, or the time is over. */
  async change(clock: Clock, options: { readonly ms: number; readonly signal?: AbortSignal }): Promise<void> {
    const { ms, signal } = options;
    const ended = this.#ended.signal;
    await sleep(clock, { ms, signal: signal ? AbortSignal.any([ended, signal]) : ended }).catch(() => {
      // Something ended, or the wait was given up: both are looked at by the caller.
    });
  }
}
