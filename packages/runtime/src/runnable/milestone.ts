/** A point in a lifecycle that is reached at most once; callers can wait for it. */
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
      // The failure is reported to the awaiting callers, if any.
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
