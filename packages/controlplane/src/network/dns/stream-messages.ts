import { Buffer } from 'node:buffer';

/** Collects the messages of a TCP connection, on which each follows its length. */
export class StreamMessages {
  #waiting: Buffer = Buffer.alloc(0);

  /** Adds received bytes. Returns the messages that are complete. */
  add(chunk: Buffer): readonly Buffer[] {
    this.#waiting = Buffer.concat([this.#waiting, chunk]);
    const complete: Buffer[] = [];
    while (this.#waiting.length >= 2) {
      const end = 2 + this.#waiting.readUInt16BE(0);
      if (this.#waiting.length < end) break;
      complete.push(this.#waiting.subarray(2, end));
      this.#waiting = this.#waiting.subarray(end);
    }
    return complete;
  }
}

/** Puts its length before a message. */
export function withLength(message: Uint8Array): Buffer {
  const length = Buffer.alloc(2);
  length.writeUInt16BE(message.length);
  return Buffer.concat([length, message]);
}
