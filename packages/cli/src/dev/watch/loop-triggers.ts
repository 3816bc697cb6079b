/** An event that the development loop waits for: a saved file, or a key. */
export type LoopTrigger = 'saved' | 'restart' | 'apply' | 'test' | 'quit';

/** Collects pending work; requests for the same work are merged until the work is taken. */
export class LoopTriggers {
  readonly #waiting = new Set<LoopTrigger>();
  #wake: (() => void) | undefined;

  add(what: LoopTrigger): void {
    this.#waiting.add(what);
    this.#wake?.();
  }

  /** True while the work is pending. */
  has(what: LoopTrigger): boolean {
    return this.#waiting.has(what);
  }

  /** Resolves with the next pending work, or with `quit` when the signal is aborted. */
  async next(signal: AbortSignal): Promise<LoopTrigger> {
    for (;;) {
      if (signal.aborted) return 'quit';
      const [first] = this.#waiting;
      if (first !== undefined) {
        this.#waiting.delete(first);
        return first;
      }
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
        signal.addEventListener('abort', () => resolve(), { once: true });
      });
    }
  }
}
