import { EtcdError } from './etcd-error.ts';

/** Time between two requests, and the number of requests after which a wait fails: ten seconds in total. */
const pollMs = 50;
const maxPolls = 200;

interface Waiter {
  readonly revision: number;
  polls: number;
  resolve(): void;
  reject(error: unknown): void;
}

/** Lets callers wait until a watch of etcd has reached a revision. Polls for progress while any caller waits. */
export class ProgressWaiters {
  readonly #poll: () => Promise<void>;
  #waiters: Waiter[] = [];
  #isPolling = false;

  /** @param poll - requests progress, which is reported through {@link advance}. Calls do not overlap. */
  constructor(poll: () => Promise<void>) {
    this.#poll = poll;
  }

  /** Waits until the watch has reached a revision; rejects with an {@link EtcdError} after ten seconds. */
  wait(revision: number): Promise<void> {
    const reached = new Promise<void>((resolve, reject) => {
      this.#waiters.push({ revision, polls: 0, resolve, reject });
    });
    if (!this.#isPolling) void this.#run();
    return reached;
  }

  advance(reached: number): void {
    for (const { resolve } of this.#take(({ revision }) => revision <= reached)) resolve();
  }

  fail(error: unknown): void {
    for (const { reject } of this.#take(() => true)) reject(error);
  }

  /** Polls repeatedly, because etcd ignores progress requests while it still sends history. */
  async #run(): Promise<void> {
    this.#isPolling = true;
    while (this.#waiters.length > 0) {
      try {
        await this.#poll();
      } catch (error) {
        this.fail(error);
      }
      for (const { reject, revision } of this.#take((waiter) => ++waiter.polls > maxPolls)) reject(stuck(revision));
      // seam: real time, because etcd does not follow a virtual clock
      if (this.#waiters.length > 0) await new Promise((resolve) => setTimeout(resolve, pollMs));
    }
    this.#isPolling = false;
  }

  #take(isWanted: (waiter: Waiter) => boolean): readonly Waiter[] {
    if (this.#waiters.length === 0) return [];
    const taken: Waiter[] = [];
    const left: Waiter[] = [];
    for (const waiter of this.#waiters) (isWanted(waiter) ? taken : left).push(waiter);
    this.#waiters = left;
    return taken;
  }
}

function stuck(revision: number): EtcdError {
  const why = `timed out after ${(pollMs * maxPolls) / 1000} s waiting for revision ${revision}`;
  return new EtcdError({ what: 'the etcd watch lags behind', why, remedy: 'retry later' });
}
