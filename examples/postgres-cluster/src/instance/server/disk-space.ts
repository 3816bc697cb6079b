import { statfs } from 'node:fs/promises';

/** Space for two WAL segments. With less, the server is about to stop, or has stopped, because it cannot write WAL. */
const leastFreeBytes = 2 * 16 * 1024 * 1024;

export interface DiskSpace {
  readonly freeBytes: number;
  readonly isDiskFull: boolean;
}

/** Returns the free space on a volume. */
export async function diskSpace(folder: string): Promise<DiskSpace> {
  const { bavail, bsize } = await statfs(folder);
  const freeBytes = bavail * bsize;
  return { freeBytes, isDiskFull: freeBytes < leastFreeBytes };
}
