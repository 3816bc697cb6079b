import { randomFillSync } from 'node:crypto';

/** Types of WebSocket frames (RFC 6455). */
export const opcodes = { continuation: 0, text: 1, binary: 2, close: 8, ping: 9, pong: 10 } as const;

/** One frame, its payload unmasked. */
export interface Frame {
  readonly opcode: number;
  /** True for the last frame of a message. */
  readonly isLast: boolean;
  readonly payload: Buffer;
}

/** Encodes a complete message of a client as one masked frame. `parts` are joined. */
export function encodeFrame(opcode: number, parts: readonly Uint8Array[]): Buffer {
  const length = parts.reduce((sum, part) => sum + part.byteLength, 0);
  const extended = length < 126 ? 0 : length < 65_536 ? 2 : 8;
  const start = 2 + extended + 4;
  const frame = Buffer.allocUnsafe(start + length);
  frame[0] = 0x80 | opcode;
  frame[1] = 0x80 | (extended === 0 ? length : extended === 2 ? 126 : 127);
  if (extended === 2) frame.writeUInt16BE(length, 2);
  else if (extended === 8) frame.writeBigUInt64BE(BigInt(length), 2);
  const mask = randomFillSync(frame.subarray(start - 4, start));
  let at = start;
  for (const part of parts) {
    frame.set(part, at);
    at += part.byteLength;
  }
  for (let i = 0; i < length; i++) frame[start + i] = (frame[start + i] ?? 0) ^ (mask[i & 3] ?? 0);
  return frame;
}

/** Maximum payload of a control frame (RFC 6455). */
const maxControlBytes = 125;
/** Maximum number of frames in one message. */
const maxFragments = 16_384;

/**
 * Joins frames into messages.
 *
 * @throws RangeError as soon as a message exceeds the limit.
 */
export class MessageJoiner {
  readonly #maxBytes: number;
  #parts: Buffer[] = [];
  #size = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Adds a data frame; returns the message if it is complete. */
  push({ payload, isLast }: Frame): Buffer | undefined {
    this.#size += payload.length;
    if (this.#size > this.#maxBytes) {
      throw new RangeError(`a message of at least ${this.#size} bytes exceeds the limit of ${this.#maxBytes} bytes`);
    }
    if (this.#parts.push(payload) > maxFragments) {
      throw new RangeError(`a message has more than ${maxFragments} fragments`);
    }
    if (!isLast) return undefined;
    const parts = this.#parts;
    this.#parts = [];
    this.#size = 0;
    return parts.length === 1 ? payload : Buffer.concat(parts);
  }
}

/** Splits bytes into frames, however the bytes arrive. */
export class FrameReader {
  readonly #maxBytes: number;
  #chunks: Uint8Array[] = [];
  #size = 0;
  /** Minimum number of bytes needed to decode more of the next frame. */
  #needed = 2;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Adds bytes; returns the frames that are now complete. @throws RangeError for a frame over the limit. */
  push(chunk: Uint8Array): readonly Frame[] {
    this.#chunks.push(chunk);
    this.#size += chunk.byteLength;
    const frames: Frame[] = [];
    while (this.#size >= this.#needed) {
      const bytes = this.#chunks.length === 1 ? asBuffer(this.#chunks[0]) : Buffer.concat(this.#chunks);
      const { frame, needed } = this.#decode(bytes);
      const rest = frame ? bytes.subarray(needed) : bytes;
      this.#chunks = rest.length > 0 ? [rest] : [];
      this.#size = rest.length;
      this.#needed = frame ? 2 : needed;
      if (frame) frames.push(frame);
    }
    return frames;
  }

  /** Returns the first frame and its size, or the number of bytes needed to decode more. */
  #decode(bytes: Buffer): { readonly frame?: Frame; readonly needed: number } {
    const [first = 0, second = 0] = bytes;
    const short = second & 0x7f;
    const masked = (second & 0x80) !== 0;
    const extended = short < 126 ? 0 : short === 126 ? 2 : 8;
    const start = 2 + extended + (masked ? 4 : 0);
    if (bytes.length < start) return { needed: start };
    const length = extended === 0 ? short : extended === 2 ? bytes.readUInt16BE(2) : Number(bytes.readBigUInt64BE(2));
    if (length > this.#maxBytes)
      throw new RangeError(`a frame of ${length} bytes exceeds the limit of ${this.#maxBytes} bytes`);
    const opcode = first & 0x0f;
    const isLast = (first & 0x80) !== 0;
    if (opcode >= opcodes.close && (length > maxControlBytes || !isLast))
      throw new RangeError('a control frame is fragmented or longer than 125 bytes');
    if (bytes.length < start + length) return { needed: start + length };
    const payload = bytes.subarray(start, start + length);
    if (masked) for (let i = 0; i < length; i++) payload[i] = (payload[i] ?? 0) ^ (bytes[start - 4 + (i & 3)] ?? 0);
    return { frame: { opcode, isLast, payload }, needed: start + length };
  }
}

function asBuffer(bytes: Uint8Array | undefined): Buffer {
  return bytes ? Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength) : Buffer.alloc(0);
}
