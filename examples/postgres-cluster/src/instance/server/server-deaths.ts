/** Maximum delay of a start after repeated deaths. */
const maxDelayMs = 10_000;

/** Counts the deaths of a server, and delays its next start with exponential backoff. All times are monotonic. */
export class ServerDeaths {
  #count = 0;
  #startedAtMs = 0;
  #firstAtMs: number | undefined;
  #notBeforeMs = 0;

  /** Time before which the server must not start. */
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
    if (nowMs - this.#startedAtMs > maxDelayMs) this.#count = 0;
  }

  /**
   * Records a death. Returns the time since the server's first death, not counting deaths before it last accepted
   * connections.
   */
  died(nowMs: number): number {
    this.#notBeforeMs = nowMs + (this.#count === 0 ? 0 : Math.min(500 * 2 ** this.#count, maxDelayMs));
    this.#count++;
    this.#firstAtMs ??= nowMs;
    return nowMs - this.#firstAtMs;
  }
}
