/** Deaths delay the next starts of the server, up to this. */
const mostDelayMs = 10_000;

/** The deaths of a server since it last accepted connections, and how they delay its next start. All times are monotonic. */
export class ServerDeaths {
  #count = 0;
  #startedAtMs = 0;
  #firstAtMs: number | undefined;
  #notBeforeMs = 0;

  /** The server must not start earlier. */
  get notBeforeMs(): number {
    return this.#notBeforeMs;
  }

  /** Records a start. */
  started(nowMs: number): void {
    this.#startedAtMs = nowMs;
  }

  /** Records that the server accepts connections. */
  accepts(nowMs: number): void {
    this.#firstAtMs = undefined;
    if (nowMs - this.#startedAtMs > mostDelayMs) this.#count = 0;
  }

  /** Records a death. Returns for how long the server has not accepted connections since its first death. */
  died(nowMs: number): number {
    this.#notBeforeMs = nowMs + (this.#count === 0 ? 0 : Math.min(500 * 2 ** this.#count, mostDelayMs));
    this.#count++;
    this.#firstAtMs ??= nowMs;
    return nowMs - this.#firstAtMs;
  }
}
