import { statfs } from 'node:fs/promises';

/**
 * Number of WAL segments that must fit on the volume. Otherwise, the server is about to stop, or has stopped, because
 * it cannot write WAL.
 */
const leastFreeSegments = 2;

/** PostgreSQL's default size of a WAL segment. */
export const defaultSegmentBytes = 16 * 1024 * 1024;

export interface DiskSpace {
  readonly freeBytes: number;
  readonly isDiskFull: boolean;
}

/** Returns the free space on a volume that has WAL segments of the given size. */
export async function diskSpace(
  folder: string,
  { segmentBytes = defaultSegmentBytes }: { readonly segmentBytes?: number } = {},
): Promise<DiskSpace> {
  const { bavail, bsize } = await statfs(folder);
  const freeBytes = bavail * bsize;
  return { freeBytes, isDiskFull: freeBytes < leastFreeSegments * segmentBytes };
}
