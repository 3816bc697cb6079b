import { exponentialDelay } from '@kubewright/apimachinery/internal';

/** Bounds of the delay of a {@link BackOff}, in milliseconds. */
export interface BackOffLimits {
  readonly initialMs: number;
  readonly maxMs: number;
}

/**
 * Backoff between attempts, as in the kubelet: no delay before the first retry, then `initialMs`, doubled up to `maxMs`. It
 * resets after twice `maxMs` without a failure. Mirrors client-go's `flowcontrol.Backoff`.
 */
export class BackOff {
  readonly #limits: BackOffLimits;
  #retries = 0;
  #lastMs = Number.NEGATIVE_INFINITY;

  constructor(limits: BackOffLimits) {
    this.#limits = limits;
  }

  /** The current delay, in milliseconds. */
  get pauseMs(): number {
    return this.#retries === 0 ? 0 : exponentialDelay(this.#retries - 1, this.#limits);
  }

  /** Returns when an attempt that failed at `failedAtMs` may be retried. A time in the past means immediately. */
  retryAt(failedAtMs: number): number {
    return this.#isForgiven(failedAtMs) ? failedAtMs : failedAtMs + this.pauseMs;
  }

  /** Records that a retry starts now. */
  next(nowMs: number, failedAtMs: number): void {
    this.#retries = this.#isForgiven(failedAtMs) ? 1 : this.#retries + 1;
    this.#lastMs = nowMs;
  }

  #isForgiven(failedAtMs: number): boolean {
    return failedAtMs - this.#lastMs > 2 * this.#limits.maxMs;
  }
}

/** Formats a duration like Go: `10s`, `1m20s`, `5m0s`. */
export function formatPause(ms: number): string {
  const seconds = Math.round(ms / 1000);
  if (ms < 1000) return `${ms}ms`;
  return seconds < 60 ? `${seconds}s` : `${Math.floor(seconds / 60)}m${seconds % 60}s`;
}
