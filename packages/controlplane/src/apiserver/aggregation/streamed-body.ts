import type { IncomingMessage } from 'node:http';

/** An answer that is passed on as it comes. Giving it up ends the request at the other server at once. */
export class StreamedBody implements AsyncIterable<Uint8Array> {
  readonly #message: IncomingMessage;
  readonly #brokenOff: (cause: unknown) => Error;

  /** @param brokenOff - makes the error of an answer that ends before its end */
  constructor(message: IncomingMessage, brokenOff: (cause: unknown) => Error) {
    this.#message = message;
    this.#brokenOff = brokenOff;
  }

  [Symbol.asyncIterator](): AsyncIterator<Uint8Array> {
    const message = this.#message;
    const chunks = (message as AsyncIterable<Uint8Array>)[Symbol.asyncIterator]();
    let isGivenUp = false;
    return {
      next: async () => {
        try {
          return await chunks.next();
        } catch (error) {
          if (isGivenUp) return DONE;
          throw this.#brokenOff(error);
        }
      },
      // The stream's own iterator would wait for the next chunk first, which a quiet watch may never send.
      return: async () => {
        isGivenUp = true;
        message.destroy();
        return DONE;
      },
    };
  }
}

const DONE: IteratorReturnResult<undefined> = { done: true, value: undefined };
