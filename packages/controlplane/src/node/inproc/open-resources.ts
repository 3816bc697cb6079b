/**
 * The resources that a container has opened: timers, listeners, connections. Resources opened after the container has
 * ended are closed immediately.
 */
export class OpenResources implements Disposable {
  readonly #open = new Set<Disposable>();
  #isOver = false;

  add(resource: Disposable): void {
    if (this.#isOver) resource[Symbol.dispose]();
    else this.#open.add(resource);
  }

  /** Forgets a resource that has already closed. */
  delete(resource: Disposable): void {
    this.#open.delete(resource);
  }

  [Symbol.dispose](): void {
    this.#isOver = true;
    for (const resource of this.#open) resource[Symbol.dispose]();
    this.#open.clear();
  }
}
