/**
 * Writes the protobuf wire format backwards, from the end of a buffer to its start, as Go's generated code does.
 * Writing backwards, the writer knows the length of a message when it writes the length, right after the content.
 */
export class WireWriter {
  #bytes: Buffer;
  #start: number;

  constructor(size = 1024) {
    this.#bytes = Buffer.allocUnsafeSlow(size);
    this.#start = size;
  }

  /** Number of bytes written. */
  get length(): number {
    return this.#bytes.length - this.#start;
  }

  /** Returns the written bytes. Do not write anything afterwards. */
  finish(): Uint8Array {
    return this.#bytes.subarray(this.#start);
  }

  /** Writes a field's tag. Call it after writing the value. */
  tag(field: number, wireType: 0 | 1 | 2): void {
    this.varint(field * 8 + wireType);
  }

  /** Writes a non-negative integer of at most 53 bits. */
  varint(value: number): void {
    let size = 1;
    for (let rest = value; rest >= 128; rest = Math.floor(rest / 128)) size++;
    let at = this.#reserve(size);
    for (let rest = value; ; rest = Math.floor(rest / 128)) {
      const byte = rest % 128;
      if (rest < 128) {
        this.#bytes[at] = byte;
        return;
      }
      this.#bytes[at++] = byte | 128;
    }
  }

  /** Writes a signed 64-bit integer. Negative integers take ten bytes. */
  integer(value: number | bigint): void {
    if (typeof value === 'number' && value >= 0) {
      this.varint(value);
      return;
    }
    const bytes: number[] = [];
    let rest = BigInt.asUintN(64, BigInt(value));
    for (; rest >= 128n; rest >>= 7n) bytes.push(Number(rest & 127n) | 128);
    bytes.push(Number(rest));
    this.raw(Buffer.from(bytes));
  }

  double(value: number): void {
    const at = this.#reserve(8);
    this.#bytes.writeDoubleLE(value, at);
  }

  /** Writes bytes without a tag or a length. */
  raw(value: Uint8Array): void {
    const at = this.#reserve(value.length);
    this.#bytes.set(value, at); // read #bytes after reserving, which may replace the buffer
  }

  /** Writes a field of bytes. */
  bytes(field: number, value: Uint8Array): void {
    this.raw(value);
    this.varint(value.length);
    this.tag(field, 2);
  }

  /** Writes a field with a string. */
  string(field: number, value: string): void {
    const length = Buffer.byteLength(value);
    const at = this.#reserve(length);
    this.#bytes.write(value, at, length, 'utf8');
    this.varint(length);
    this.tag(field, 2);
  }

  /**
   * Writes a message's length and tag. Call it after writing the content; `before` is the writer's length before the
   * content.
   */
  message(field: number, before: number): void {
    this.varint(this.length - before);
    this.tag(field, 2);
  }

  /** Reserves space for `size` bytes and returns the offset of the space. */
  #reserve(size: number): number {
    if (size > this.#start) {
      const used = this.length;
      const larger = Buffer.allocUnsafeSlow(Math.max(this.#bytes.length * 2, used + size));
      const start = larger.length - used;
      this.#bytes.copy(larger, start, this.#start);
      this.#bytes = larger;
      this.#start = start;
    }
    this.#start -= size;
    return this.#start;
  }
}
