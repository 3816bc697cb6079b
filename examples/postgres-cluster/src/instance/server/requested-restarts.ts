/** Restarts of the server that were requested and are not complete. Several requests share one restart. */
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

  /** Notes that the server has stopped for a restart. */
  stopped(): void {
    this.#isRestarting = true;
  }

  /** Notes that the server accepts connections: again, if it was stopped. */
  accepts(): void {
    if (this.isDue) return;
    this.#isRestarting = false;
    for (const resolve of this.#waiting.splice(0)) resolve();
  }
}
