import { statfsSync } from 'node:fs';
import { totalmem } from 'node:os';

/** Where Linux mounts the file system for shared memory. */
const sharedMemory = '/dev/shm';
/** `TMPFS_MAGIC` of Linux. */
const tmpfs = 0x01021994;

/**
 * Returns a folder of this machine whose files are in memory, or undefined. Ignores a file system of less than a quarter of the
 * memory: in containers, it often has only 64 MB, and a volume needs more.
 */
export function memoryFileSystem(): string | undefined {
  try {
    const { type, bsize, blocks } = statfsSync(sharedMemory);
    return type === tmpfs && bsize * blocks >= totalmem() / 4 ? sharedMemory : undefined;
  } catch {
    // Not Linux, or a container without shared memory.
    return undefined;
  }
}
