/** Something that is reached once, or never. */
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
      // Told to those who wait; nobody need.
    });
  }

  reach(): void {
    this.#reach();
  }

  /** Says that it will never be reached; nothing once it was. */
  fail(error: unknown): void {
    this.#fail(error);
  }
}
