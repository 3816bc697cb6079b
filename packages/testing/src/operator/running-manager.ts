import type { Manager } from '@kubewright/runtime';

/** A manager that runs in the test. An error that ends the manager is thrown on disposal. */
export class RunningManager implements AsyncDisposable {
  readonly #manager: Manager;
  readonly #ended: Promise<void>;
  #failure: { readonly error: unknown } | undefined;

  private constructor(manager: Manager) {
    this.#manager = manager;
    this.#ended = manager.run().catch((error: unknown) => {
      this.#failure = { error };
    });
  }

  /** Runs a manager. Resolves once its caches are filled. @throws the error of the manager if it cannot start */
  static async start(manager: Manager): Promise<RunningManager> {
    const running = new RunningManager(manager);
    try {
      await manager.started();
    } catch (error) {
      await running.#ended;
      throw error;
    }
    return running;
  }

  /** Stops the manager. @throws the error that ended the manager earlier, if any */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#manager[Symbol.asyncDispose]();
    await this.#ended;
    if (this.#failure) throw this.#failure.error;
  }
}
