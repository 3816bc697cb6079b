import type { ArchiveStore } from './archive-store.ts';

/** Returns a store for one folder of another store. */
export function folderOf(store: ArchiveStore, folder: string): ArchiveStore {
  const prefix = `${folder}/`;
  return {
    put: (name, content, options) => store.put(prefix + name, content, options),
    get: (name, options) => store.get(prefix + name, options),
    async *list(start, options) {
      for await (const file of store.list(prefix + start, options)) {
        yield { ...file, name: file.name.slice(prefix.length) };
      }
    },
    delete: (name, options) => store.delete(prefix + name, options),
    deleteInterrupted: (start, options) => store.deleteInterrupted(prefix + start, options),
  };
}
