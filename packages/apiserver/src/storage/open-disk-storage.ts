import type { Clock } from '@kubewright/apimachinery';
import type { Storage } from './storage.ts';

/** Options for {@link openDiskStorage}. */
export interface OpenDiskOptions {
  /** The folder of the store. It is created if needed, and locked while the store is open. */
  readonly directory: string;
  readonly clock: Clock;
  /** Time for which history is kept, in milliseconds. @defaultValue 5 minutes */
  readonly historyMs?: number | undefined;
  /** Maximum size of superseded content in history, in bytes. @defaultValue 64 MiB */
  readonly historyBytes?: number | undefined;
  /** Maximum size of the current values and their keys, in bytes. @defaultValue 512 MiB */
  readonly maxBytes?: number | undefined;
  /** Called with errors thrown by watch handlers. @defaultValue rethrows in a microtask, which ends the process */
  readonly onWatcherFault?: ((error: unknown) => void) | undefined;
}

/**
 * Opens a {@link Storage} on disk, for one process at a time. Writes are synced to disk before they return; writes that arrive
 * during a sync share the next sync. All objects are also kept in memory. Needs the optional package `classic-level`.
 *
 * @throws StorageCorruptError (KW5011) if the store is damaged; the readable objects are exported to a file that the message
 * names. DiskStorageError (KW5012) if the store cannot be opened.
 *
 * @example
 * ```ts
 * await using storage = await openDiskStorage({ directory: 'data', clock: systemClock });
 * const { objects } = await storage.list({ prefix: '/registry/' });
 * ```
 */
export async function openDiskStorage(options: OpenDiskOptions): Promise<Storage> {
  const { DiskStorage } = await import('./disk/disk-storage.ts');
  return DiskStorage.open(options);
}
