import { Buffer } from 'node:buffer';
import { crc32 } from 'node:zlib';
import type { StoredObject } from '../storage.ts';

/** A key on disk: its value, its revision and its expiry. */
export interface DiskRecord {
  readonly object: StoredObject;
  /** Checksum of the key and of everything else in the record. */
  readonly checksum: number;
  readonly life: Life | undefined;
}

/** The TTL of a key that expires. `endMs` is a wall-clock time. */
export interface Life {
  readonly ttlSeconds: number;
  readonly endMs: number;
}

/** Length of the header: checksum (4 bytes), revision, time to live in seconds, expiry in milliseconds (8 bytes each). */
const headerBytes = 28;

/** Encodes a record. */
export function encodeRecord(
  object: StoredObject,
  life: Life | undefined,
): { readonly value: Buffer; readonly checksum: number } {
  const value = Buffer.allocUnsafeSlow(headerBytes + object.bytes.length);
  value.writeDoubleBE(object.revision, 4);
  value.writeDoubleBE(life?.ttlSeconds ?? 0, 12);
  value.writeDoubleBE(life?.endMs ?? 0, 20);
  value.set(object.bytes, headerBytes);
  const checksum = checksumOf(object.key, value);
  value.writeUInt32BE(checksum, 0);
  return { value, checksum };
}

/** Decodes a record; returns undefined if it is damaged. */
export function decodeRecord(key: string, value: Uint8Array): DiskRecord | undefined {
  if (value.length < headerBytes) return undefined;
  const buffer = Buffer.from(value.buffer, value.byteOffset, value.length);
  const checksum = buffer.readUInt32BE(0);
  if (checksum !== checksumOf(key, buffer)) return undefined;
  const ttlSeconds = buffer.readDoubleBE(12);
  return {
    object: { key, revision: buffer.readDoubleBE(4), bytes: value.subarray(headerBytes) },
    checksum,
    life: ttlSeconds > 0 ? { ttlSeconds, endMs: buffer.readDoubleBE(20) } : undefined,
  };
}

function checksumOf(key: string, value: Buffer): number {
  return crc32(value.subarray(4), crc32(key));
}
