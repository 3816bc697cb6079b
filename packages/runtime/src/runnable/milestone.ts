/** A point that is reached once, or never. */
export class Milestone {
  readonly promise: Promise<void>;
  #reach: () => void = () => {};
  #fail: (error: unknown) => void = () => {};

  constructor() {
    this.promise = new Promise((resolve, reject) => {
      this.#reach = resolve;
      this.#fail = reject;
    });
    this.promise.catch(() => {
      // Reported to the awaiting callers, if any.
    });
  }

  reach(): void {
    this.#reach();
  }

  /** Marks the milestone as unreachable. Has no effect once it has been reached. */
  fail(error: unknown): void {
    this.#fail(error);
  }
}
