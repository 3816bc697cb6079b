export { MemoryStorage, type MemoryStorageOptions } from './memory-storage.ts';
export {
  type Commit,
  CompactedError,
  FutureRevisionError,
  RevisionMismatchError,
  type Storage,
  type StorageChange,
  StorageClosedError,
  type StorageList,
  type StorageListOptions,
  type StorageWatchOptions,
  type StorageWrite,
  type StoredObject,
} from './storage.ts';
