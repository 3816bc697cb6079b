/**
 * The state of one request's passes through the mutating plugins. A webhook that changes the object requests a second
 * pass, which reruns the server's own plugins and the webhooks that request reinvocation.
 */
export class Reinvocation {
  /** True in the second pass. */
  repeated = false;
  /** True if a second pass is requested. */
  requested = false;
  readonly #notes = new Map<object, unknown>();

  /** Returns a plugin's state, which is kept between the passes. */
  note<T extends object>(plugin: object, make: () => T): T {
    const found = this.#notes.get(plugin);
    if (found !== undefined) return found as T; // only this plugin stores a value under this key
    const made = make();
    this.#notes.set(plugin, made);
    return made;
  }
}
