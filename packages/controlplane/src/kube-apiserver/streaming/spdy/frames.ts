import { Buffer } from 'node:buffer';
import { SpdyError } from './spdy-error.ts';

/** Supported types of control frames. Others are ignored. */
export const frameTypes = { synStream: 1, synReply: 2, reset: 3, settings: 4, ping: 6, goAway: 7, headers: 8 } as const;

/** Status codes of a RST_STREAM frame. */
export const resetReasons = { protocolError: 1, refusedStream: 3, cancel: 5 } as const;

/** Marks the last frame that an endpoint sends on a stream. */
export const flagFin = 1;

/** A whole control frame, or some bytes of a data frame, which may arrive in chunks. */
export type Frame =
  | { readonly type: 'data'; readonly streamId: number; readonly bytes: Buffer; readonly fin: boolean }
  | { readonly type: 'control'; readonly kind: number; readonly flags: number; readonly payload: Buffer };

const version = 3;
/** Maximum size of a control frame, which contains only numbers and compressed headers. */
const maxControlBytes = 16 * 1024;

/** Splits a stream of bytes into frames. @throws {@link SpdyError} if the version is not supported or a control frame is too long. */
export async function* readFrames(source: AsyncIterable<Buffer>): AsyncGenerator<Frame> {
  let rest: Buffer = Buffer.alloc(0);
  /** The data frame that is still incomplete, if any. */
  let data: { readonly streamId: number; readonly fin: boolean; missing: number } | undefined;
  for await (const chunk of source) {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    for (;;) {
      if (data) {
        if (rest.length === 0 && data.missing > 0) break;
        const bytes = rest.subarray(0, data.missing);
        rest = rest.subarray(bytes.length);
        data.missing -= bytes.length;
        yield { type: 'data', streamId: data.streamId, bytes, fin: data.fin && data.missing === 0 };
        if (data.missing === 0) data = undefined;
        continue;
      }
      if (rest.length < 8) break;
      const head = rest.readUInt32BE(0);
      const flags = rest.readUInt8(4);
      const length = rest.readUIntBE(5, 3);
      if (head < 0x8000_0000) {
        data = { streamId: head, fin: (flags & flagFin) !== 0, missing: length };
        rest = rest.subarray(8);
        continue;
      }
      if (((head >>> 16) & 0x7fff) !== version)
        throw new SpdyError(`version ${(head >>> 16) & 0x7fff} is not supported`);
      if (length > maxControlBytes) throw new SpdyError(`a control frame of ${length} bytes is too large`);
      if (rest.length < 8 + length) break;
      yield { type: 'control', kind: head & 0xffff, flags, payload: rest.subarray(8, 8 + length) };
      rest = rest.subarray(8 + length);
    }
  }
}

/** Encodes a control frame. */
export function controlFrame(kind: number, payload: Uint8Array, flags = 0): Buffer {
  const frame = Buffer.alloc(8 + payload.length);
  frame.writeUInt32BE((0x8000_0000 | (version << 16) | kind) >>> 0, 0);
  frame.writeUInt8(flags, 4);
  frame.writeUIntBE(payload.length, 5, 3);
  frame.set(payload, 8);
  return frame;
}

/** Encodes a data frame. */
export function dataFrame(streamId: number, bytes: Uint8Array, options: { readonly fin: boolean }): Buffer {
  const frame = Buffer.alloc(8 + bytes.length);
  frame.writeUInt32BE(streamId, 0);
  frame.writeUInt8(options.fin ? flagFin : 0, 4);
  frame.writeUIntBE(bytes.length, 5, 3);
  frame.set(bytes, 8);
  return frame;
}

/** Encodes 32-bit numbers one after another. */
export function numbers(...values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(4 * values.length);
  values.forEach((value, index) => {
    bytes.writeUInt32BE(value >>> 0, 4 * index);
  });
  return bytes;
}
