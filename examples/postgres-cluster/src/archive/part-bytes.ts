const mebibyte = 1024 * 1024;
/** S3 requires at least 5 MiB. */
const firstBytes = 16 * mebibyte;
/** A part is held in memory. */
const mostBytes = 256 * mebibyte;
const partsOfOneSize = 1_000;

/**
 * Returns the size of a part of a large file, by its number from 0. Sizes double every 1,000 parts, so that a file whose
 * size is not known beforehand fits into the 10,000 parts that S3 accepts, and a small one needs little memory.
 */
export function partBytes(index: number): number {
  return Math.min(firstBytes * 2 ** Math.floor(index / partsOfOneSize), mostBytes);
}
