import type { Clock } from '@kubewright/apimachinery';

/**
 * Stream cancellations that nghttp2 allows a client: a burst, and a rate per second. Beyond these limits, nghttp2
 * disconnects the client.
 */
const allowed = { burst: 1000, perSecond: 33 };
/**
 * Maximum number of concurrent streams, and of cancellations before the client is moved to a new connection. Their sum must stay
 * below the allowed burst.
 */
const margins = { streams: 500, resets: 400 };

/** Reports whether Node can set the number of streams that a client may cancel (22.11 and newer). */
export function canSetResetLimits(nodeVersion: string): boolean {
  const [major = 0, minor = 0] = nodeVersion.split('.').map(Number);
  return major > 22 || (major === 22 && minor >= 11);
}

/**
 * Counts the streams that a client cancels on one connection, for Node versions that cannot raise nghttp2's limit. A
 * client that comes close to the limit is moved to a new connection (GOAWAY). Otherwise, nghttp2 would end the
 * connection with all its streams; after a GOAWAY, nghttp2 no longer counts cancellations.
 */
export class ResetBudget {
  static readonly maxConcurrentStreams: number = margins.streams;
  readonly #clock: Clock;
  #used = 0;
  #atMs: number;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#atMs = clock.monotonic();
  }

  /** Counts one cancellation. Returns true when it is time for a new connection. */
  spend(): boolean {
    const nowMs = this.#clock.monotonic();
    // Whole seconds, like nghttp2.
    const seconds = Math.floor((nowMs - this.#atMs) / 1000);
    this.#atMs += seconds * 1000;
    this.#used = Math.max(0, this.#used - seconds * allowed.perSecond) + 1;
    return this.#used > margins.resets;
  }
}
