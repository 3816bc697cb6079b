import { type Clock, sleep } from '@kubewright/apimachinery';

/** Tracks the keys with running reconciles, and can wait for some of these reconciles to end. */
export class RunningKeys {
  readonly #counts = new Map<string, number>();
  #awaited: ReadonlySet<string> = new Set();
  #ended = new AbortController();

  /** Keys with running reconciles, in order. */
  get keys(): readonly string[] {
    return [...this.#counts.keys()].sort();
  }

  /** Registers a reconcile; dispose the result when it ends (idempotent). */
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

  /** Waits until no reconcile runs for any of the keys in `of`, or the time is up. Allows one waiter at a time. */
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
      // A reconcile ended, or the wait was aborted; the caller checks both.
    });
  }

  #end(key: string): void {
    this.#counts.delete(key);
    if (this.#awaited.has(key)) this.#ended.abort();
  }
}
