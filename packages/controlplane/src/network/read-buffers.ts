import { Buffer } from 'node:buffer';

/** Size of the buffer of a connection that receives little data, in bytes. */
const smallSize = 65_536;
/** Size of the buffer of a connection that receives data faster than it is read, in bytes: fewer system calls read as much. */
const largeSize = 524_288;
/** Maximum number of unused large buffers to keep. */
const maxSpare = 8;

/**
 * The buffers that the connections of this process read into. A large buffer is lent to a connection only as long as its reads fill
 * more than a small one, and then reused: memory that was just used is in the processor's cache.
 */
export class ReadBuffers {
  readonly #spare: Buffer[] = [];

  /** Returns a large buffer. */
  take(): Buffer {
    return this.#spare.pop() ?? Buffer.allocUnsafeSlow(largeSize);
  }

  /** Returns a large buffer that nothing refers to. */
  give(buffer: Buffer): void {
    if (this.#spare.length < maxSpare) this.#spare.push(buffer);
  }

  /** Returns the buffers of one connection. */
  forConnection(): ConnectionBuffers {
    return new ConnectionBuffers(this);
  }
}

/** Chooses the buffers of one connection, one for each read. */
export class ConnectionBuffers {
  readonly #shared: ReadBuffers;
  #small: Buffer | undefined;
  #current: Buffer | undefined;

  constructor(shared: ReadBuffers) {
    this.#shared = shared;
  }

  /** The buffer of the current read. */
  get current(): Buffer {
    this.#current ??= this.#small ??= Buffer.allocUnsafeSlow(smallSize);
    return this.#current;
  }

  /**
   * Chooses the buffer of the next read.
   *
   * @param read - `bytes`: the length of the last read; `isInUse`: true if the current buffer is still being written from. Pass that
   * buffer to {@link release} later.
   */
  advance({ bytes, isInUse }: { readonly bytes: number; readonly isInUse: boolean }): void {
    const used = this.current;
    if (isInUse && used === this.#small) this.#small = undefined;
    if (bytes < smallSize) {
      if (!isInUse) this.release(used);
      this.#current = undefined;
    } else if (isInUse || used.length < largeSize) this.#current = this.#shared.take();
  }

  /** Accepts a buffer that nothing refers to. */
  release(buffer: Buffer): void {
    if (buffer.length >= largeSize) this.#shared.give(buffer);
    else this.#small ??= buffer;
  }

  /** Ends the use of the current buffer. The connection reads nothing more. */
  [Symbol.dispose](): void {
    if (this.#current) this.release(this.#current);
    this.#current = undefined;
  }
}
