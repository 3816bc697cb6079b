import { readdir, readFile, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { parseLsn, segmentOf } from './wal-file.ts';

/**
 * Returns true if the timeline of a complete segment ended within the segment or before it, according to the newest history in the
 * same folder. What follows the end is not part of the database's WAL, and differs between servers: a standby that follows a new
 * timeline archives the segment with the end, although only its start was written. The new timeline's segments contain that start.
 */
export async function isAfterEndOfTimeline({
  name,
  path,
}: {
  readonly name: string;
  readonly path: string;
}): Promise<boolean> {
  if (!/^[\dA-F]{24}$/.test(name)) return false;
  const folder = dirname(path);
  const newest = (await readdir(folder))
    .filter((file) => /^[\dA-F]{8}\.history$/.test(file))
    .sort()
    .at(-1);
  if (newest === undefined) return false;
  const end = endOf(Number.parseInt(name.slice(0, 8), 16), await readFile(join(folder, newest), 'utf8'));
  if (end === undefined) return false;
  const { size } = await stat(path);
  const segment = segmentOf(name, size);
  return segment !== undefined && (segment.number + 1n) * BigInt(size) > end;
}

/** Returns where a timeline ended; undefined if it is not an ancestor of the history's timeline. */
function endOf(timeline: number, history: string): bigint | undefined {
  for (const line of history.split('\n')) {
    const [, ancestor, lsn] = /^\s*(\d+)\s+([\dA-F]+\/[\dA-F]+)/i.exec(line) ?? [];
    if (lsn !== undefined && Number(ancestor) === timeline) return parseLsn(lsn);
  }
  return undefined;
}
