import { posix } from 'node:path';
import type { VolumeMount } from '../driver.ts';
import { hostPathOf, mountOf } from '../process/host-path.ts';

/** The file system of a container: its volumes' files at their mount paths, and its own files. */
export interface ContainerFiles {
  /** Returns the text of a file; undefined if it does not exist. */
  read(path: string): string | undefined;
  /** Creates or replaces a file. @throws Error `EROFS` in a read-only volume */
  write(path: string, text: string): void;
  /** Removes a file, or a folder with its files. @throws Error `EROFS` in a read-only volume */
  remove(path: string): void;
  /** Returns the names of the files and folders in a folder, sorted. */
  list(folder: string): readonly string[];
}

/** Files in memory, by path. Folders exist as long as they contain files. */
export class MemoryFiles {
  readonly #files = new Map<string, string>();

  read(path: string): string | undefined {
    return this.#files.get(path);
  }

  write(path: string, text: string): void {
    this.#files.set(path, text);
  }

  /** Removes a file or a folder. */
  remove(path: string): void {
    for (const one of this.#files.keys()) if (one === path || one.startsWith(`${path}/`)) this.#files.delete(one);
  }

  list(folder: string): readonly string[] {
    const start = folder.endsWith('/') ? folder : `${folder}/`;
    const below = [...this.#files.keys()].filter((path) => path.startsWith(start));
    return [...new Set(below.map((path) => path.slice(start.length).split('/')[0] ?? ''))].sort();
  }

  /** Returns the file system of one container. @param root - folder for the container's own files */
  of(mounts: readonly VolumeMount[], root: string): ContainerFiles {
    const place = (path: string): string => hostPathOf(path, mounts, root);
    const writable = (path: string): string => {
      const full = posix.normalize(`/${path}`);
      if (!mountOf(full, mounts)?.readOnly) return place(path);
      throw Object.assign(new Error(`EROFS: read-only file system, open '${full}'`), { code: 'EROFS' });
    };
    return {
      read: (path) => this.read(place(path)),
      write: (path, text) => this.write(writable(path), text),
      remove: (path) => this.remove(writable(path)),
      list: (folder) => this.list(place(folder)),
    };
  }
}
