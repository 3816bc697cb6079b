/** Tracks which webhooks or policies ran, and which must run again because the object changed after they ran. */
export class ReinvocationMemory {
  lastOutput: unknown;
  #invoked = new Set<string>();
  readonly #required = new Set<string>();

  invoked(id: string): void {
    this.#invoked.add(id);
  }

  requireAll(): void {
    for (const id of this.#invoked) this.#required.add(id);
    this.#invoked = new Set();
  }

  isRequired(id: string): boolean {
    return this.#required.has(id);
  }
}
