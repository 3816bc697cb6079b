export { eachChange } from './each-change.ts';
export { MemoryStorage, type MemoryStorageOptions } from './memory-storage.ts';
export {
  type Commit,
  CommitTooLargeError,
  CompactedError,
  type Storage,
  type StorageChange,
  StorageFullError,
  type StorageList,
  type StorageListOptions,
  type StorageWatchOptions,
  type StorageWrite,
  type StoredObject,
} from './storage.ts';
