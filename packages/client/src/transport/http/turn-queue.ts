interface Waiter {
  readonly wake: () => void;
}

/** Calls that wait for their turn, in FIFO order. A canceled call leaves the queue and takes no turn. */
export class TurnQueue {
  readonly #waiters = new Set<Waiter>();

  /** Waits to be woken. Rejects with the signal's reason if it is aborted first. */
  wait(signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        this.#waiters.delete(waiter);
        signal?.removeEventListener('abort', onAbort);
      };
      const onAbort = (): void => {
        leave();
        reject(signal?.reason);
      };
      const waiter: Waiter = {
        wake: () => {
          leave();
          resolve();
        },
      };
      if (signal?.aborted) {
        onAbort();
        return;
      }
      this.#waiters.add(waiter);
      signal?.addEventListener('abort', onAbort, { once: true });
    });
  }

  /** Wakes the call that has waited longest. */
  wakeOne(): void {
    for (const waiter of this.#waiters) {
      waiter.wake();
      return;
    }
  }

  /** Wakes all calls. */
  wakeAll(): void {
    for (const waiter of [...this.#waiters]) waiter.wake();
  }
}
