import { type Clock, sleep } from '@kubewright/apimachinery';

/** Keys on which reconciles run, and a way to wait for the end of some. */
export class RunningKeys {
  readonly #counts = new Map<string, number>();
  #awaited: ReadonlySet<string> = new Set();
  #ended = new AbortController();

  /** Keys on which something runs, in order. */
  get keys(): readonly string[] {
    return [...this.#counts.keys()].sort();
  }

  /** Takes note of a reconcile; disposed at its end, more than once if need be. */
  enter(key: string): Disposable {
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1);
    let left = false;
    return {
      [Symbol.dispose]: () => {
        if (left) return;
        left = true;
        const count = (this.#counts.get(key) ?? 0) - 1;
        if (count > 0) this.#counts.set(key, count);
        else this.#end(key);
      },
    };
  }

  /** Waits until nothing runs any more for one of `of`, or the time is over. One waits at a time. */
  async change(
    clock: Clock,
    options: { readonly ms: number; readonly of: readonly string[]; readonly signal?: AbortSignal },
  ): Promise<void> {
    const { ms, of, signal } = options;
    this.#awaited = new Set(of);
    if (of.some((key) => !this.#counts.has(key))) return;
    this.#ended = new AbortController();
    const ended = this.#ended.signal;
    await sleep(clock, { ms, signal: signal ? AbortSignal.any([ended, signal]) : ended }).catch(() => {
      // Something ended, or the wait was given up: both are looked at by the caller.
    });
  }

  #end(key: string): void {
    this.#counts.delete(key);
    if (this.#awaited.has(key)) this.#ended.abort();
  }
}
