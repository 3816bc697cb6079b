import { type Readable, Transform } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { ArchiveError } from './archive-error.ts';

/** Returns the content of a compressed file. It fails with an `ArchiveError` if the file is damaged, or cannot be read to its end. */
export function decompressed(content: Readable, name: string): Readable {
  const gunzip = createGunzip();
  const result = new Transform({ transform: (chunk, _, done) => done(null, chunk) });
  const fail = (error: ArchiveError) => {
    content.destroy();
    gunzip.destroy();
    result.destroy(error);
  };
  content.on('error', (cause) =>
    fail(new ArchiveError('Unavailable', `cannot read ${name} to its end: ${cause.message}`, { cause })),
  );
  gunzip.on('error', (cause) => fail(new ArchiveError('Corrupted', `${name} is damaged: ${cause.message}`, { cause })));
  result.on('close', () => {
    content.destroy();
    gunzip.destroy();
  });
  content.pipe(gunzip).pipe(result);
  return result;
}
