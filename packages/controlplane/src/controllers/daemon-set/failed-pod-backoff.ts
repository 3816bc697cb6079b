const initialMs = 1_000;
const maxMs = 900_000;
const forgottenAfterMs = 2 * maxMs;

interface Entry {
  readonly delayMs: number;
  readonly atMs: number;
}

/**
 * Computes the delay before a failed pod is replaced on its node: 1 s after the first replacement, doubled with each further
 * replacement, up to 15 minutes.
 */
export class FailedPodBackoff {
  readonly #entries = new Map<string, Entry>();

  /** Returns the delay if the latest replacement is too recent, or undefined if the pod may be replaced now. */
  delayMs(key: string, nowMs: number): number | undefined {
    const entry = this.#valid(key, nowMs);
    return entry && nowMs - entry.atMs < entry.delayMs ? entry.delayMs : undefined;
  }

  /** Records a replacement. */
  note(key: string, nowMs: number): void {
    const before = this.#valid(key, nowMs);
    this.#entries.delete(key);
    this.#entries.set(key, { delayMs: before ? Math.min(before.delayMs * 2, maxMs) : initialMs, atMs: nowMs });
    // The oldest entries come first.
    for (const [oldest, { atMs }] of this.#entries) {
      if (nowMs - atMs <= forgottenAfterMs) break;
      this.#entries.delete(oldest);
    }
  }

  #valid(key: string, nowMs: number): Entry | undefined {
    const entry = this.#entries.get(key);
    return entry && nowMs - entry.atMs <= forgottenAfterMs ? entry : undefined;
  }
}
