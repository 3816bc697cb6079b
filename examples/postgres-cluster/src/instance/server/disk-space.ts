import { statfs } from 'node:fs/promises';

/** Less than two WAL files: the server is about to stop, or has stopped, because it cannot write. */
const leastFreeBytes = 2 * 16 * 1024 * 1024;

export interface DiskSpace {
  readonly freeBytes: number;
  readonly isDiskFull: boolean;
}

/** Reads how much space a volume has left. */
export async function diskSpace(folder: string): Promise<DiskSpace> {
  const { bavail, bsize } = await statfs(folder);
  const freeBytes = bavail * bsize;
  return { freeBytes, isDiskFull: freeBytes < leastFreeBytes };
}
