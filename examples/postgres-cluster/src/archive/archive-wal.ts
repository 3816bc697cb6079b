import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { constants, createGzip } from 'node:zlib';
import { ArchiveError } from './archive-error.ts';
import { ensureOwner } from './archive-owner.ts';
import type { ArchiveStore } from './archive-store.ts';
import { decompressed } from './decompressed.ts';
import { isAfterEndOfTimeline } from './ended-timeline.ts';
import type { SystemIdentity } from './system-identity.ts';
import { archivedWal, isPartialSegment } from './wal-file.ts';

/**
 * Archives a WAL file. Once this resolves, the file is durable. Archiving the same content again succeeds: PostgreSQL
 * repeats the command after a crash, and standbys archive the same WAL in case the primary fails before it has archived
 * the WAL. Skips partial segments, and segments that contain the end of their timeline or lie after it: two servers
 * that were promoted from the same segment have different versions of it, and the first segment of the new timeline
 * contains the same WAL.
 *
 * @throws ArchiveError with the reason `Conflict` if another database or cluster owns the archive, or the archive has this file
 *   with different content
 */
export async function archiveWal(
  store: ArchiveStore,
  wal: {
    readonly name: string;
    readonly path: string;
    readonly identity: SystemIdentity;
    /** ID of the cluster; see `ensureOwner`. */
    readonly cluster: string | undefined;
    readonly signal: AbortSignal;
  },
): Promise<void> {
  const { name, path, signal } = wal;
  const archived = archivedWal(name);
  await ensureOwner(store, wal);
  if (isPartialSegment(name) || (await isAfterEndOfTimeline(wal))) return;
  const source = createReadStream(path);
  const compressed = createGzip({ level: constants.Z_BEST_SPEED });
  const reading = pipeline(source, compressed, { signal });
  // A read error also makes `compressed` fail, and `put` reports it.
  reading.catch(() => undefined);
  if (await store.put(archived, compressed, { signal })) return reading;
  const existing = await store.get(archived, { signal });
  if (existing && (await hash(decompressed(existing, archived))) === (await hash(createReadStream(path)))) return;
  throw new ArchiveError(
    'Conflict',
    `the archive already contains ${name} with different content; another server may be writing to this archive`,
  );
}

async function hash(content: Readable): Promise<string> {
  const digest = createHash('sha256');
  for await (const chunk of content) digest.update(chunk as Buffer);
  return digest.digest('hex');
}
