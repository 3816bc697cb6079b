import { type FSWatcher, watch } from 'node:fs';
import { basename } from 'node:path';

/** Watches folders for files that are created, written, renamed or deleted. */
export class FolderWatches implements Disposable {
  readonly #watchers = new Map<string, FSWatcher>();
  readonly #onEvent: (folder: string, name: string | null) => void;

  constructor(onEvent: (folder: string, name: string | null) => void) {
    this.#onEvent = onEvent;
  }

  /** Watches a folder unless it is already watched. Folders that cannot be watched are left to periodic scans. */
  add(folder: string, { recursive = false }: { readonly recursive?: boolean } = {}): void {
    if (this.#watchers.has(folder)) return;
    try {
      const watcher = watch(folder, { recursive }, (type, name) => {
        // A folder that was moved or deleted reports its own name. From now on, a folder at this path is a different folder.
        if (type === 'rename' && name === basename(folder)) this.#remove(folder);
        this.#onEvent(folder, name);
      });
      watcher.on('error', () => this.#remove(folder));
      this.#watchers.set(folder, watcher);
    } catch {
      // The folder was deleted in the meantime, or the system has no watches left.
    }
  }

  /** Stops watching all other folders. */
  keepOnly(folders: ReadonlySet<string>): void {
    for (const folder of this.#watchers.keys()) if (!folders.has(folder)) this.#remove(folder);
  }

  #remove(folder: string): void {
    this.#watchers.get(folder)?.close();
    this.#watchers.delete(folder);
  }

  [Symbol.dispose](): void {
    for (const watcher of this.#watchers.values()) watcher.close();
    this.#watchers.clear();
  }
}
