/** What the development loop waits for: a saved file, or a key. */
export type WakeUp = 'saved' | 'restart' | 'apply' | 'test' | 'quit';

/** Collects what is to be done next; what comes twice before it was taken is done once. */
export class WakeUps {
  readonly #waiting = new Set<WakeUp>();
  #wake: (() => void) | undefined;

  add(what: WakeUp): void {
    this.#waiting.add(what);
    this.#wake?.();
  }

  /** True while it waits to be done. */
  has(what: WakeUp): boolean {
    return this.#waiting.has(what);
  }

  /** Resolves with the first that waits; `quit` when the signal is aborted. */
  async next(signal: AbortSignal): Promise<WakeUp> {
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
