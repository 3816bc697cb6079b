import { ProtobufError } from './protobuf-error.ts';

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Reads the protobuf wire format from a range of bytes, without copying. */
export class WireReader {
  readonly #bytes: Uint8Array;
  readonly #end: number;
  #position: number;

  constructor(bytes: Uint8Array, start = 0, end: number = bytes.length) {
    this.#bytes = bytes;
    this.#position = start;
    this.#end = end;
  }

  get atEnd(): boolean {
    return this.#position >= this.#end;
  }

  /** Reads a tag: field number × 8 + wire type. */
  tag(): number {
    const tag = this.varint32();
    if (tag >>> 3 === 0) throw malformed('invalid field number 0');
    return tag >>> 0;
  }

  /** Reads the low 32 bits of a varint, signed. */
  varint32(): number {
    let result = 0;
    for (let shift = 0; shift < 70; shift += 7) {
      const byte = this.#byte();
      if (shift < 32) result |= (byte & 0x7f) << shift;
      if (byte < 0x80) return result;
    }
    throw malformed('varint longer than ten bytes');
  }

  /** Reads a varint as a signed 64-bit integer; returns a bigint if the value is not a safe integer. */
  varint64(): number | bigint {
    let low = 0n;
    let small = 0;
    let factor = 1;
    for (let count = 0; count < 10; count++) {
      const byte = this.#byte();
      if (count < 7) small += (byte & 0x7f) * factor;
      else low |= BigInt(byte & 0x7f) << BigInt(7 * count);
      factor *= 128;
      if (byte < 0x80) return count < 7 ? small : toSafe(low | BigInt(small));
    }
    throw malformed('varint longer than ten bytes');
  }

  double(): number {
    const start = this.#take(8);
    return new DataView(this.#bytes.buffer, this.#bytes.byteOffset + start, 8).getFloat64(0, true);
  }

  bytes(): Uint8Array {
    const length = this.#length();
    const start = this.#take(length);
    return this.#bytes.subarray(start, start + length);
  }

  string(): string {
    const length = this.#length();
    const start = this.#take(length);
    const short = length < 40 ? this.#ascii(start, length) : undefined;
    if (short !== undefined) return short;
    try {
      return utf8.decode(this.#bytes.subarray(start, start + length));
    } catch (error) {
      throw new ProtobufError('malformed', 'a string in the body is not valid UTF-8', { cause: error });
    }
  }

  /** Returns a reader for the message that follows. */
  message(): WireReader {
    const length = this.#length();
    const start = this.#take(length);
    return new WireReader(this.#bytes, start, start + length);
  }

  /** Skips an unknown field. */
  skip(wireType: number): void {
    if (wireType === 0) this.varint32();
    else if (wireType === 1) this.#take(8);
    else if (wireType === 2) this.#take(this.#length());
    else if (wireType === 5) this.#take(4);
    else throw malformed(`invalid wire type ${wireType}`);
  }

  #ascii(start: number, length: number): string | undefined {
    let text = '';
    for (let i = start; i < start + length; i++) {
      const byte = this.#bytes[i] ?? 0;
      if (byte >= 0x80) return undefined;
      text += String.fromCharCode(byte);
    }
    return text;
  }

  #length(): number {
    const length = this.varint32();
    if (length < 0) throw malformed('negative length');
    return length;
  }

  #take(length: number): number {
    const start = this.#position;
    if (start + length > this.#end) throw malformed('unexpected EOF');
    this.#position = start + length;
    return start;
  }

  #byte(): number {
    if (this.#position >= this.#end) throw malformed('unexpected EOF');
    return this.#bytes[this.#position++] ?? 0;
  }
}

function toSafe(raw: bigint): number | bigint {
  const value = BigInt.asIntN(64, raw);
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
}

function malformed(what: string): ProtobufError {
  return new ProtobufError('malformed', `the body is not valid protobuf: ${what}`);
}
