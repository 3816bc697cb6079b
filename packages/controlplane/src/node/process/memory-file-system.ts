import { statfsSync } from 'node:fs';

/** Where Linux mounts the file system for shared memory. */
const sharedMemory = '/dev/shm';
/** `TMPFS_MAGIC` of Linux. */
const tmpfs = 0x01021994;

/** Returns a folder of this machine whose files are in memory, or undefined. */
export function memoryFileSystem(): string | undefined {
  try {
    return statfsSync(sharedMemory).type === tmpfs ? sharedMemory : undefined;
  } catch {
    // Not Linux, or a container without shared memory.
    return undefined;
  }
}
