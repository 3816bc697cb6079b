import { Buffer } from 'node:buffer';

/** Splits the bytes of a TCP connection into messages. Each message is preceded by its length. */
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

/** Returns a message preceded by its length. */
export function withLength(message: Uint8Array): Buffer {
  const length = Buffer.alloc(2);
  length.writeUInt16BE(message.length);
  return Buffer.concat([length, message]);
}
