import { type Readable, Transform } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { ArchiveError } from './archive-error.ts';

/**
 * Returns the decompressed content of a gzip file. The stream fails with an `ArchiveError` if the file is damaged or the read is
 * interrupted.
 */
export function decompressed(content: Readable, name: string): Readable {
  const gunzip = createGunzip();
  const result = new Transform({ transform: (chunk, _, done) => done(null, chunk) });
  const fail = (error: ArchiveError) => {
    content.destroy();
    gunzip.destroy();
    result.destroy(error);
  };
  content.on('error', (cause) =>
    fail(new ArchiveError('Unavailable', `the download of ${name} was interrupted: ${cause.message}`, { cause })),
  );
  gunzip.on('error', (cause) => fail(new ArchiveError('Corrupted', `${name} is damaged: ${cause.message}`, { cause })));
  result.on('close', () => {
    content.destroy();
    gunzip.destroy();
  });
  content.pipe(gunzip).pipe(result);
  return result;
}
