import { readdir, readFile, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { parseLsn } from '../lsn.ts';
import { segmentOf } from './wal-file.ts';

/**
 * Returns true if a timeline ended within the given complete segment or before it, according to the newest timeline history in
 * the same folder. Bytes after the end of a timeline are not part of the database's WAL, and differ between servers. A standby
 * that switches to a new timeline archives the last segment of the old one although only its first part is valid. The new
 * timeline's first segment contains that part, too.
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

/** Returns the LSN where a timeline ended, or undefined if the timeline is not an ancestor in this history. */
function endOf(timeline: number, history: string): bigint | undefined {
  for (const line of history.split('\n')) {
    const [, ancestor, lsn] = /^\s*(\d+)\s+([\dA-F]+\/[\dA-F]+)/i.exec(line) ?? [];
    if (lsn !== undefined && Number(ancestor) === timeline) return parseLsn(lsn);
  }
  return undefined;
}
