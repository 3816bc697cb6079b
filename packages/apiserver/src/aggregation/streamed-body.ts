import type { Readable } from 'node:stream';

/**
 * A response body that is passed on as it arrives. Canceling the body immediately ends the request to the other server.
 */
export class StreamedBody implements AsyncIterable<Uint8Array> {
  readonly #message: Readable;
  readonly #brokenOff: (cause: unknown) => Error;

  /** @param brokenOff - builds the error for a response that ends early */
  constructor(message: Readable, brokenOff: (cause: unknown) => Error) {
    this.#message = message;
    this.#brokenOff = brokenOff;
  }

  [Symbol.asyncIterator](): AsyncIterator<Uint8Array> {
    const message = this.#message;
    const chunks = (message as AsyncIterable<Uint8Array>)[Symbol.asyncIterator]();
    let isCanceled = false;
    return {
      next: async () => {
        try {
          return await chunks.next();
        } catch (error) {
          if (isCanceled) return done;
          throw this.#brokenOff(error);
        }
      },
      // The stream's own iterator would first wait for the next chunk, which a quiet watch may never send.
      return: async () => {
        isCanceled = true;
        message.destroy();
        return done;
      },
    };
  }
}

const done: IteratorReturnResult<undefined> = { done: true, value: undefined };
