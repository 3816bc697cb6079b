import type { Readable } from 'node:stream';

/** Shares a process's output among several readers. The process blocks while any reader cannot accept more output. */
export class SharedOutput {
  readonly #stream: Readable | null;
  /** Number of chunks that readers have not finished reading. */
  #untaken = 0;
  #isReleased = false;

  constructor(stream: Readable | null) {
    this.#stream = stream;
  }

  /** Passes each chunk to a reader until disposed. If `read` returns a promise, the process blocks until it resolves. */
  passTo(read: (chunk: Uint8Array) => Promise<void> | void): Disposable {
    const stream = this.#stream;
    let untaken = 0;
    const take = (count: number): void => {
      untaken -= count;
      this.#untaken -= count;
      if (this.#untaken === 0 && !this.#isReleased) stream?.resume();
    };
    const onData = (chunk: Uint8Array): void => {
      const room = read(chunk);
      if (!room) return;
      untaken++;
      this.#untaken++;
      if (!this.#isReleased) stream?.pause();
      const taken = (): void => {
        if (untaken > 0) take(1);
      };
      room.then(taken, taken);
    };
    stream?.on('data', onData);
    return {
      [Symbol.dispose]: () => {
        stream?.off('data', onData);
        if (untaken > 0) take(untaken);
      },
    };
  }

  /** Stops waiting for readers: the process has ended, and little output is left. */
  release(): void {
    this.#isReleased = true;
    if (this.#untaken > 0) this.#stream?.resume();
  }
}
