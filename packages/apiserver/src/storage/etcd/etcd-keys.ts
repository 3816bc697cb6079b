import { Buffer } from 'node:buffer';

/** Returns the end of the range of all keys with a prefix: the prefix with its last byte increased. */
export function endOfPrefix(prefix: Uint8Array): Uint8Array {
  const end = Buffer.from(prefix);
  for (let i = end.length - 1; i >= 0; i--) {
    const byte = end[i] ?? 0xff;
    if (byte === 0xff) continue;
    end[i] = byte + 1;
    return end.subarray(0, i + 1);
  }
  return Buffer.from([0]);
}
