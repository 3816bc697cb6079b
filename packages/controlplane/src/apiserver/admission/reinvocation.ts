/**
 * One request's passes through the plugins that change: a webhook that changed something asks for a second pass, in
 * which the plugins of the server run again, and those webhooks that want to.
 */
export class Reinvocation {
  /** True in the second pass. */
  repeated = false;
  /** Asks for a second pass. */
  requested = false;
  readonly #notes = new Map<object, unknown>();

  /** What a plugin keeps between the passes. */
  note<T extends object>(plugin: object, make: () => T): T {
    const found = this.#notes.get(plugin);
    if (found !== undefined) return found as T; // whoever kept it under this key made it
    const made = make();
    this.#notes.set(plugin, made);
    return made;
  }
}
