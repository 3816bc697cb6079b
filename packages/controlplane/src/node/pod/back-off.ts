/** Limits of a {@link BackOff}, in milliseconds. */
export interface BackOffLimits {
  readonly initialMs: number;
  readonly maxMs: number;
}

/**
 * Pauses between attempts, as the kubelet has them: none before the first retry, then `initialMs`, doubling up to
 * `maxMs`; all is forgiven after twice `maxMs` without a failure. Mirrors client-go's `flowcontrol.Backoff`.
 */
export class BackOff {
  readonly #limits: BackOffLimits;
  #pauseMs = 0;
  #lastMs = Number.NEGATIVE_INFINITY;

  constructor(limits: BackOffLimits) {
    this.#limits = limits;
  }

  /** The pause that counts now, in milliseconds. */
  get pauseMs(): number {
    return this.#pauseMs;
  }

  /** When what failed at `failedAtMs` may be tried again: a time that is not in the future means now. */
  retryAt(failedAtMs: number): number {
    return this.#isForgiven(failedAtMs) ? failedAtMs : failedAtMs + this.#pauseMs;
  }

  /** Notes that an attempt after a failure begins now. */
  next(nowMs: number, failedAtMs: number): void {
    const { initialMs, maxMs } = this.#limits;
    this.#pauseMs =
      this.#pauseMs === 0 || this.#isForgiven(failedAtMs) ? initialMs : Math.min(this.#pauseMs * 2, maxMs);
    this.#lastMs = nowMs;
  }

  #isForgiven(failedAtMs: number): boolean {
    return failedAtMs - this.#lastMs > 2 * this.#limits.maxMs;
  }
}

/** Writes a pause as Go does: `10s`, `1m20s`, `5m0s`. */
export function formatPause(ms: number): string {
  const seconds = Math.round(ms / 1000);
  if (ms < 1000) return `${ms}ms`;
  return seconds < 60 ? `${seconds}s` : `${Math.floor(seconds / 60)}m${seconds % 60}s`;
}
