export { followStorage } from './follow-storage.ts';
export { MemoryStorage, type MemoryStorageOptions } from './memory-storage.ts';
export { revisionedLength, withRevision, writeRevisioned } from './revision-slot.ts';
export {
  type Commit,
  CommitTooLargeError,
  CompactedError,
  type Storage,
  type StorageChange,
  StorageFullError,
  type StorageList,
  type StorageListOptions,
  type StorageWatch,
  type StorageWatchOptions,
  type StorageWrite,
  type StoredObject,
} from './storage.ts';
