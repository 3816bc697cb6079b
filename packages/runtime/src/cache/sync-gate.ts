/** Blocks callers until the first list is complete or has failed. */
export class SyncGate {
  readonly #waiters = new Set<{ readonly open: () => void; readonly fail: (error: unknown) => void }>();
  #open = false;
  #failure: { readonly error: unknown } | undefined;

  get isOpen(): boolean {
    return this.#open;
  }

  open(): void {
    this.#open = true;
    this.#failure = undefined;
    for (const waiter of [...this.#waiters]) waiter.open();
  }

  /** Rejects all waiters, now and until the gate opens. */
  fail(error: unknown): void {
    if (this.#open) return;
    this.#failure = { error };
    for (const waiter of [...this.#waiters]) waiter.fail(error);
  }

  async wait(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (this.#open) return;
    if (this.#failure) throw this.#failure.error;
    await new Promise<void>((resolve, reject) => {
      const settle = (then: () => void): void => {
        this.#waiters.delete(waiter);
        signal.removeEventListener('abort', onAbort);
        then();
      };
      const onAbort = (): void => settle(() => reject(signal.reason));
      const waiter = { open: () => settle(resolve), fail: (error: unknown) => settle(() => reject(error)) };
      this.#waiters.add(waiter);
      signal.addEventListener('abort', onAbort, { once: true });
    });
  }
}
