const slabBytes = 64 * 1024;
let slab = new Uint8Array(0);
let used = 0;

/**
 * Allocates bytes for a response or an event. These buffers share slabs only with each other. In Node's own pool, they
 * would share slabs with stored objects, which would keep the slabs alive long after the response is sent.
 */
export function shortLivedBytes(length: number): Uint8Array {
  if (length > slabBytes / 4) return new Uint8Array(length);
  if (used + length > slab.length) {
    slab = new Uint8Array(slabBytes);
    used = 0;
  }
  used += length;
  return slab.subarray(used - length, used);
}
