/** Tracks requested restarts of the server. Concurrent requests share one restart. */
export class RequestedRestarts {
  readonly #waiting: (() => void)[] = [];
  #isRestarting = false;

  /** True if the server must be stopped for a restart. */
  get isDue(): boolean {
    return this.#waiting.length > 0 && !this.#isRestarting;
  }

  /** Resolves when the server accepts connections again. */
  request(): Promise<void> {
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  /** Called when the server has stopped for a restart. */
  stopped(): void {
    this.#isRestarting = true;
  }

  /** Called while the server accepts connections. Completes a restart if the server was stopped for one. */
  accepts(): void {
    if (this.isDue) return;
    this.#isRestarting = false;
    for (const resolve of this.#waiting.splice(0)) resolve();
  }
}
