import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import type { Transform } from 'node:stream';
import zlib from 'node:zlib';
import { ImageStoreError } from './image-store-error.ts';

/**
 * Reads a file and decompresses it if it is compressed with gzip or zstd.
 *
 * @throws ImageStoreError if this version of Node.js cannot decompress it.
 */
export async function* decompressed(path: string): AsyncGenerator<Uint8Array, void> {
  const transform = await decompressor(path);
  const source = createReadStream(path, { highWaterMark: 256 * 1024 });
  if (!transform) {
    yield* source;
    return;
  }
  source.on('error', (error) => transform.destroy(error));
  try {
    yield* source.pipe(transform);
  } catch (cause) {
    throw new ImageStoreError({ what: `cannot decompress ${path}`, why: (cause as Error).message }, { cause });
  } finally {
    source.destroy();
  }
}

async function decompressor(path: string): Promise<Transform | undefined> {
  const file = await open(path);
  const magic = Buffer.alloc(4);
  try {
    await file.read(magic, 0, 4, 0);
  } finally {
    await file.close();
  }
  if (magic.readUInt16BE(0) === 0x1f8b) return zlib.createGunzip();
  if (magic.readUInt32BE(0) !== 0x28b52ffd) return undefined;
  // Available since Node.js 22.15.
  if ('createZstdDecompress' in zlib && typeof zlib.createZstdDecompress === 'function') {
    return (zlib.createZstdDecompress as () => Transform)();
  }
  throw new ImageStoreError({
    what: `cannot decompress ${path}`,
    why: `the file is compressed with zstd, which Node.js ${process.version} does not support`,
    remedy: 'use Node.js 22.15 or newer, or rebuild the image with gzip layers',
  });
}
