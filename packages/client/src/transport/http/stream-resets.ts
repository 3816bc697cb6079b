import { type ClientHttp2Stream, constants } from 'node:http2';
import type { Clock, Timer } from '@kubewright/apimachinery';

/**
 * Maximum number of resets sent in a burst, and per second after that. nghttp2 servers (including Node's) close a
 * connection, with all its watches, after more than 1,000 resets in a burst or 33 per second after that, as protection
 * against rapid-reset attacks.
 */
const resetBurst = 500;
const resetsPerSecond = 30;

/** Options for {@link StreamResets}. */
export interface StreamResetsOptions {
  readonly clock: Clock;
  /** Called while streams wait for a reset; returns false if the connection is, or is about to be, closed instead. */
  readonly isNeeded: () => boolean;
}

/** Resets the canceled streams of one connection, no faster than servers accept. */
export class StreamResets implements Disposable {
  readonly #options: StreamResetsOptions;
  readonly #waiting = new Set<ClientHttp2Stream>();
  #allowed = resetBurst;
  #countedAtMs: number;
  #timer: Timer | undefined;

  constructor(options: StreamResetsOptions) {
    this.#options = options;
    this.#countedAtMs = options.clock.monotonic();
  }

  /** Number of open streams that wait for a reset. */
  get waiting(): number {
    return this.#waiting.size;
  }

  /** Resets a stream immediately, or as soon as the limit allows; a waiting stream is left unread. */
  add(stream: ClientHttp2Stream): void {
    if (stream.closed || stream.destroyed) return;
    this.#waiting.add(stream);
    stream.pause();
    // Must run before the listener that releases the stream's slot, because that listener compares the waiting and the
    // active streams.
    stream.prependOnceListener('close', () => this.#waiting.delete(stream));
    this.#send();
  }

  /** Cancels the pending resets; called when the connection is closed. */
  [Symbol.dispose](): void {
    this.#timer?.[Symbol.dispose]();
  }

  #send(): void {
    const { clock, isNeeded } = this.#options;
    const nowMs = clock.monotonic();
    this.#allowed = Math.min(resetBurst, this.#allowed + ((nowMs - this.#countedAtMs) / 1000) * resetsPerSecond);
    this.#countedAtMs = nowMs;
    for (const stream of this.#waiting) {
      if (this.#allowed < 1) break;
      this.#allowed--;
      this.#waiting.delete(stream);
      stream.close(constants.NGHTTP2_CANCEL);
    }
    if (this.#waiting.size === 0 || !isNeeded()) return;
    this.#timer?.[Symbol.dispose]();
    this.#timer = clock.setTimer(1000, () => this.#send(), { unref: true });
  }
}
