import type { Clock } from '@kubewright/apimachinery';

/** What nghttp2 allows a client to cancel: so many at once, and so many more each second; then it cuts the client off. */
const ALLOWED = { burst: 1000, perSecond: 33 };
/** Streams at a time and cancellations before the client is sent to a new connection: together below the burst. */
const KEPT = { streams: 500, resets: 400 };

/** True where node lets a server say how many streams a client may cancel (22.11 and newer). */
export function canSetResetLimits(nodeVersion: string): boolean {
  const [major = 0, minor = 0] = nodeVersion.split('.').map(Number);
  return major > 22 || (major === 22 && minor >= 11);
}

/**
 * Counts the cancellations of one connection where node does not let us raise the limit. A client that cancels many
 * watches is then asked in time, and politely, to go on over a new connection (GOAWAY), instead of being cut off with
 * all its streams; what it cancels after that is not counted against it.
 */
export class ResetBudget {
  static readonly maxConcurrentStreams: number = KEPT.streams;
  readonly #clock: Clock;
  #used = 0;
  #atMs: number;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#atMs = clock.monotonic();
  }

  /** Counts one; true when it is time for a new connection. */
  spend(): boolean {
    const nowMs = this.#clock.monotonic();
    // Whole seconds, as nghttp2 counts.
    const seconds = Math.floor((nowMs - this.#atMs) / 1000);
    this.#atMs += seconds * 1000;
    this.#used = Math.max(0, this.#used - seconds * ALLOWED.perSecond) + 1;
    return this.#used > KEPT.resets;
  }
}
