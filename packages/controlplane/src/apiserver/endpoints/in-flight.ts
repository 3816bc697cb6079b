import { tooManyRequests } from '@kubewright/apimachinery';

/**
 * Bounds how many requests are worked on at a time, readers and writers apart, so that neither starves the other.
 * Streams are not counted: they are cheap while nothing happens, and bounded by the watch hub.
 */
export class InFlight {
  readonly #maxReading: number;
  readonly #maxWriting: number;
  #reading = 0;
  #writing = 0;

  constructor(limits: { readonly maxReading: number; readonly maxWriting: number }) {
    this.#maxReading = limits.maxReading;
    this.#maxWriting = limits.maxWriting;
  }

  /**
   * Admits a request.
   *
   * @throws StatusError 429 when there are too many; nothing is to be left then
   */
  enter(writes: boolean): void {
    if (writes ? this.#writing >= this.#maxWriting : this.#reading >= this.#maxReading) {
      throw tooManyRequests('Too many requests, please try again later.', { retryAfterSeconds: 1 });
    }
    if (writes) this.#writing++;
    else this.#reading++;
  }

  leave(writes: boolean): void {
    if (writes) this.#writing--;
    else this.#reading--;
  }
}
