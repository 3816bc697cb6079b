import {
  closeBrace,
  closeBracket,
  MalformedJsonError,
  openBrace,
  openBracket,
  quote,
  skipString,
} from './json-bytes.ts';

/** Maximum size of an object in a list, in bytes; API servers store far smaller objects. */
const longestItem = 64 * 1024 * 1024;
const longestEnvelope = 1024 * 1024;
/** Number of bytes of a new chunk to join first when completing the previous item; most objects are smaller. */
const joinedBytes = 8 * 1024;

/** Called for each item: its bytes are `bytes[start, end)`, valid until the callback returns. */
export type ItemCallback = (bytes: Buffer, start: number, end: number) => void;

/**
 * Splits a list's body into its items while the body is still arriving, without parsing the items. The envelope around them (type
 * and metadata, before or after the items) is kept and parsed at the end.
 */
export class ListSplitter {
  readonly #onItem: ItemCallback;
  readonly #envelope: Buffer[] = [];
  #envelopeBytes = 0;
  #inItems = false;
  /** Bytes of an incomplete item or envelope token. */
  #carry: Buffer | undefined;
  #depth = 0;
  #scanned = 0;
  #sawItems = false;

  constructor(onItem: ItemCallback) {
    this.#onItem = onItem;
  }

  /** Takes the next chunk of the body. Items are reported before it returns. */
  push(chunk: Uint8Array): void {
    let bytes = asBuffer(chunk);
    let at = this.#begunItem(bytes);
    if (this.#carry) {
      bytes = Buffer.concat([this.#carry, bytes]);
      this.#carry = undefined;
    }
    while (at < bytes.length) {
      const next = this.#inItems ? this.#items(bytes, at) : this.#outside(bytes, at);
      if (next < 0) return;
      at = next;
    }
  }

  /** Ends the body and parses the envelope. */
  finish(): Record<string, unknown> {
    if (this.#inItems || this.#carry) throw new MalformedJsonError('an incomplete list');
    try {
      return JSON.parse(Buffer.concat(this.#envelope).toString('utf8')) as Record<string, unknown>;
    } catch (cause) {
      throw new MalformedJsonError('a list', { cause });
    }
  }

  /**
   * Reports the item that began in the previous chunk, if it ends early in this chunk; returns the index where the next
   * item begins. Joins only a few bytes, because copying every chunk in full costs as much as all other work on the
   * chunk.
   */
  #begunItem(bytes: Buffer): number {
    const carry = this.#carry;
    if (!carry || !this.#inItems || bytes.length <= joinedBytes) return 0;
    const joined = Buffer.concat([carry, bytes.subarray(0, joinedBytes)]);
    const end = this.#itemEnd(joined, 0);
    if (end < 0) return 0;
    this.#carry = undefined;
    this.#onItem(joined, 0, end);
    return end - carry.length;
  }

  /** Reports items from `at` on; returns the index where the items end, or -1 if more bytes are needed. */
  #items(bytes: Buffer, at: number): number {
    let i = at;
    for (;;) {
      while (i < bytes.length && (bytes[i]! <= 0x20 || bytes[i] === 0x2c)) i++;
      if (i >= bytes.length) return -1;
      if (bytes[i] === closeBracket) {
        this.#inItems = false;
        // The envelope scan reads the bracket and returns to depth 1.
        this.#depth = 2;
        return i;
      }
      if (bytes[i] !== openBrace) throw new MalformedJsonError('an item of a list');
      const end = this.#itemEnd(bytes, i);
      if (end < 0) {
        this.#keep(bytes, i);
        return -1;
      }
      this.#onItem(bytes, i, end);
      i = end;
    }
  }

  /** Finds the end of the item at `at`; if the item is incomplete, remembers how far the scan got. */
  #itemEnd(bytes: Buffer, at: number): number {
    let i = at + this.#scanned;
    let depth = this.#depth;
    const end = bytes.length;
    while (i < end) {
      const byte = bytes[i]!;
      if (byte === quote) {
        const behind = skipString(bytes, i + 1, end);
        // The string is scanned again from its opening quote once the rest has arrived.
        if (behind < 0 || behind > end) break;
        i = behind;
        continue;
      }
      i++;
      if (byte === openBrace) depth++;
      else if (byte === closeBrace && --depth === 0) {
        this.#scanned = 0;
        this.#depth = 0;
        return i;
      }
    }
    this.#scanned = i - at;
    this.#depth = depth;
    return -1;
  }

  /** Copies the envelope up to `"items":[`; returns the index after the bracket, or -1 if more bytes are needed. */
  #outside(bytes: Buffer, at: number): number {
    let i = at;
    while (i < bytes.length) {
      const byte = bytes[i]!;
      if (byte === quote) {
        const end = skipString(bytes, i + 1, bytes.length);
        if (end < 0 || end > bytes.length) return this.#waitFrom(bytes, at, i);
        if (
          !this.#sawItems &&
          this.#depth === 1 &&
          end - i === 7 &&
          bytes.toString('latin1', i + 1, end - 1) === 'items'
        ) {
          const open = this.#arrayBehind(bytes, end);
          if (open === -1) return this.#waitFrom(bytes, at, i);
          if (open > 0) return this.#enterItems(bytes, at, open);
        }
        i = end;
        continue;
      }
      if (byte === openBrace || byte === openBracket) this.#depth++;
      else if (byte === closeBrace || byte === closeBracket) this.#depth--;
      i++;
    }
    this.#keepEnvelope(bytes, at, i);
    return i;
  }

  /** Returns the index of the array's bracket, -1 if it has not arrived yet, 0 if the value is not an array (`null`). */
  #arrayBehind(bytes: Buffer, keyEnd: number): number {
    for (let i = keyEnd; i < bytes.length; i++) {
      const byte = bytes[i]!;
      if (byte === openBracket) return i;
      if (byte > 0x20 && byte !== 0x3a) return 0;
    }
    return -1;
  }

  #enterItems(bytes: Buffer, from: number, open: number): number {
    this.#keepEnvelope(bytes, from, open + 1);
    this.#sawItems = true;
    this.#inItems = true;
    // Items are scanned from depth 0.
    this.#depth = 0;
    return open + 1;
  }

  #waitFrom(bytes: Buffer, from: number, rest: number): number {
    this.#keepEnvelope(bytes, from, rest);
    this.#keep(bytes, rest);
    return -1;
  }

  #keep(bytes: Buffer, at: number): void {
    if (bytes.length - at > longestItem) throw new MalformedJsonError('a list item larger than 64 MiB');
    // Copy the bytes, because the chunk belongs to the transport.
    this.#carry = Buffer.from(bytes.subarray(at));
  }

  #keepEnvelope(bytes: Buffer, at: number, end: number): void {
    this.#envelopeBytes += end - at;
    if (this.#envelopeBytes > longestEnvelope)
      throw new MalformedJsonError('a list with more than 1 MiB of list metadata');
    this.#envelope.push(Buffer.from(bytes.subarray(at, end)));
  }
}

/** Wraps bytes in a Buffer without copying them. */
function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
