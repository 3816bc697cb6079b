import { posix } from 'node:path';
import { type Clock, sleep } from '@kubewright/apimachinery';
import { ArchiveError } from '../archive/archive-error.ts';
import type { ArchiveStore } from '../archive/archive-store.ts';
import { archivedWal, nameOfSegment } from '../archive/wal-file.ts';
import { parseLsn } from '../lsn.ts';
import type { WalRange } from './backup-manifest.ts';
import type { ReplicationSession } from './replication-session.ts';

const pollMs = 1_000;
/** A backup fails if its WAL is not archived within this time after the files were copied. */
const archiveMs = 60 * 60_000;

export interface WalWait {
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/**
 * Runs `copy`, which copies the files of a server with `pg_basebackup`. The copy ends after the server has archived its last WAL
 * file. A replica archives that file only after the primary has switched to the next one, so the primary is asked to do so.
 *
 * @throws ArchiveError if the WAL is not archived in time, or Error if the copy or the session fails
 */
export async function finishWal(
  session: ReplicationSession,
  {
    copy,
    switchWal,
    clock,
    signal,
  }: WalWait & { readonly copy: (signal: AbortSignal) => Promise<void>; readonly switchWal: () => Promise<void> },
): Promise<void> {
  const stop = new AbortController();
  const copying = copy(AbortSignal.any([signal, stop.signal])).finally(() => stop.abort());
  const watch = async () => {
    let deadline: number | undefined;
    let failure: unknown;
    for (;;) {
      if (await session.isWaitingForArchive()) {
        // Retried only after a failure, because each switch uses a whole WAL file.
        if (deadline === undefined || failure !== undefined) {
          failure = await switchWal().then(
            () => undefined,
            (error: unknown) => error,
          );
        }
        deadline ??= clock.monotonic() + archiveMs;
        if (clock.monotonic() > deadline) throw notArchived('the last WAL file', failure);
      }
      await sleep(clock, { ms: pollMs, signal: stop.signal });
    }
  };
  const watching = watch().catch((error: unknown) => {
    // The copy has ended: its own result counts, not this error.
    if (stop.signal.aborted) return;
    stop.abort();
    throw error;
  });
  const [copied, watched] = await Promise.allSettled([copying, watching]);
  signal.throwIfAborted();
  if (watched.status === 'rejected') throw watched.reason;
  if (copied.status === 'rejected') throw copied.reason;
}

/** Waits until the archive has the WAL that makes a backup consistent. @throws ArchiveError if it takes too long */
export async function awaitWal(
  store: ArchiveStore,
  {
    ranges,
    segmentBytes,
    clock,
    signal,
  }: WalWait & { readonly ranges: readonly WalRange[]; readonly segmentBytes: number },
): Promise<void> {
  const deadline = clock.monotonic() + archiveMs;
  const needed = segmentsOf(ranges, segmentBytes);
  for (;;) {
    const missing = await firstMissing(store, needed, signal);
    if (missing === undefined) return;
    if (clock.monotonic() > deadline) throw notArchived(missing);
    await sleep(clock, { ms: pollMs, signal });
  }
}

/** Returns the first file that the archive does not have. */
async function firstMissing(
  store: ArchiveStore,
  needed: readonly string[],
  signal: AbortSignal,
): Promise<string | undefined> {
  const archived = new Set<string>();
  for (const folder of new Set(needed.map((name) => posix.dirname(name)))) {
    for await (const { name } of store.list(`${folder}/`, { signal })) archived.add(name);
  }
  return needed.find((name) => !archived.has(name));
}

/**
 * Returns the archived names of the segments in WAL ranges. The segment in which a timeline ended is not archived: the
 * first segment of the next timeline contains the same WAL.
 */
export function segmentsOf(ranges: readonly WalRange[], segmentBytes: number): readonly string[] {
  const size = BigInt(segmentBytes);
  return ranges.flatMap(({ timeline, beginLSN, endLSN }, index) => {
    const isLast = index === ranges.length - 1;
    const end = isLast ? (parseLsn(endLSN) + size - 1n) / size : parseLsn(endLSN) / size;
    const names: string[] = [];
    for (let number = parseLsn(beginLSN) / size; number < end; number++) {
      names.push(archivedWal(nameOfSegment({ timeline, number }, segmentBytes)));
    }
    return names;
  });
}

function notArchived(name: string, cause?: unknown): ArchiveError {
  const why = cause instanceof Error ? `: ${cause.message}` : '';
  return new ArchiveError(
    'Unavailable',
    `${name} was not archived within ${archiveMs / 60_000} minutes after the files of the backup were copied${why}`,
    { cause },
  );
}
