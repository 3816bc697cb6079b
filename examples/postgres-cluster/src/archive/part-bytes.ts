const mebibyte = 1024 * 1024;
/** S3 requires at least 5 MiB per part. */
const firstBytes = 16 * mebibyte;
/** Limits memory: each part is buffered. */
const maxBytes = 256 * mebibyte;
const partsOfOneSize = 1_000;

/**
 * Returns the size of the part with the given index. The size doubles every 1,000 parts up to the maximum, so a small
 * file needs little memory, and the 10,000 parts that S3 accepts hold a file of up to 1.69 TiB.
 */
export function partBytes(index: number): number {
  return Math.min(firstBytes * 2 ** Math.floor(index / partsOfOneSize), maxBytes);
}
