import { randomUUID } from 'node:crypto';
import * as nodeFiles from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import type { Readable } from 'node:stream';
import { ArchiveError } from './archive-error.ts';
import { type ArchivedFile, type ArchiveStore, checkName } from './archive-store.ts';

/** Folder for incomplete files. Archived files cannot have this name, so the folder is never listed. */
const incoming = '~incoming';
/**
 * An incomplete file that has not changed for this long is abandoned: an active writer appends to its file
 * continuously.
 */
const abandonedMs = 24 * 3_600_000;

/** The functions of `node:fs/promises` that the store uses for writing. */
export type DirectoryFiles = Pick<typeof nodeFiles, 'open' | 'link' | 'unlink' | 'mkdir' | 'chmod'>;

/**
 * Stores an archive in a directory, for example on a volume that all instances mount.
 *
 * A file is written under a temporary name and flushed. A hard link then gives it its final name, which fails if the name is
 * taken. Finally, the folders are flushed.
 */
export class DirectoryStore implements ArchiveStore {
  readonly #root: string;
  readonly #files: DirectoryFiles;
  readonly #newId: () => string;
  readonly #now: () => Date;

  constructor(
    root: string,
    options: { readonly files?: DirectoryFiles; readonly newId?: () => string; readonly now?: () => Date } = {},
  ) {
    this.#root = resolve(root);
    this.#files = options.files ?? nodeFiles;
    this.#newId = options.newId ?? randomUUID;
    this.#now = options.now ?? (() => new Date()); // seam: the default
  }

  async put(name: string, content: Readable, { signal }: { readonly signal: AbortSignal }): Promise<boolean> {
    checkName(name);
    const path = join(this.#root, name);
    const temporary = join(this.#root, incoming, this.#newId());
    return this.#explain(`store ${path}`, async () => {
      await nodeFiles.access(this.#root);
      await this.#makeFolder(dirname(temporary));
      await deleteOlder(dirname(temporary), new Date(this.#now().getTime() - abandonedMs));
      try {
        await this.#write(temporary, content, signal);
        await this.#makeFolder(dirname(path));
        signal.throwIfAborted();
        return await this.#claimName(temporary, path);
      } finally {
        content.destroy();
        // The file does not exist if it could not be created.
        await this.#files.unlink(temporary).catch(() => undefined);
      }
    });
  }

  async get(name: string, { signal }: { readonly signal: AbortSignal }): Promise<Readable | undefined> {
    checkName(name);
    const path = join(this.#root, name);
    return this.#explain(`read ${path}`, async () => {
      signal.throwIfAborted();
      try {
        const file = await nodeFiles.open(path, 'r');
        return file.createReadStream({ signal });
      } catch (error) {
        if (!isMissing(error)) throw error;
        // Fails if the volume is not mounted, which would look like an empty archive.
        await nodeFiles.access(this.#root);
        return undefined;
      }
    });
  }

  async *list(prefix: string, { signal }: { readonly signal: AbortSignal }): AsyncIterable<ArchivedFile> {
    await this.#explain(`read ${this.#root}`, () => nodeFiles.access(this.#root));
    yield* this.#walk('', { prefix, signal });
  }

  async delete(name: string, { signal }: { readonly signal: AbortSignal }): Promise<void> {
    checkName(name);
    const path = join(this.#root, name);
    return this.#explain(`delete ${path}`, async () => {
      signal.throwIfAborted();
      await nodeFiles.access(this.#root);
      try {
        await this.#files.unlink(path);
      } catch (error) {
        if (!isMissing(error)) throw error;
      }
    });
  }

  /** Ignores the prefix: incomplete files do not have their final names yet. */
  async deleteInterrupted(_prefix: string, { before }: { readonly before: Date }): Promise<void> {
    const folder = join(this.#root, incoming);
    await this.#explain(`delete old files in ${folder}`, async () => {
      await nodeFiles.access(this.#root);
      await deleteOlder(folder, before).catch((error: unknown) => {
        if (!isMissing(error)) throw error;
      });
    });
  }

  async #write(path: string, content: Readable, signal: AbortSignal): Promise<void> {
    const file = await this.#files.open(path, 'wx', 0o660);
    try {
      // PostgreSQL runs `archive_command` with umask 077, which would deny the group access to the file.
      await file.chmod(0o660).catch(() => undefined);
      for await (const chunk of content) {
        signal.throwIfAborted();
        await file.writeFile(chunk as Buffer);
      }
      signal.throwIfAborted();
      await file.sync();
    } finally {
      await file.close();
    }
  }

  /** Gives a complete file its final name. Returns false if the name is taken. */
  async #claimName(temporary: string, path: string): Promise<boolean> {
    try {
      await this.#files.link(temporary, path);
    } catch (error) {
      if (!hasCode(error, 'EEXIST')) throw error;
      // The other writer may have crashed before it flushed the folders.
      await this.#syncFolders(dirname(path));
      return false;
    }
    await this.#syncFolders(dirname(path));
    return true;
  }

  /** Creates a folder and its parents. */
  async #makeFolder(path: string): Promise<void> {
    try {
      await this.#files.mkdir(path);
    } catch (error) {
      if (hasCode(error, 'EEXIST')) return;
      if (!isMissing(error) || path === this.#root) throw error;
      await this.#makeFolder(dirname(path));
      return this.#makeFolder(path);
    }
    // Gives the group write access, because instances run as different users of one group. Not every file system supports this.
    await this.#files.chmod(path, 0o2770).catch(() => undefined);
  }

  /**
   * Flushes a folder and its parents up to the root. Another writer may have created any of them without flushing it
   * yet.
   */
  async #syncFolders(folder: string): Promise<void> {
    const handle = await this.#files.open(folder, 'r');
    try {
      await handle.sync();
    } finally {
      await handle.close();
    }
    if (folder !== this.#root) await this.#syncFolders(dirname(folder));
  }

  async *#walk(
    folder: string,
    options: { readonly prefix: string; readonly signal: AbortSignal },
  ): AsyncIterable<ArchivedFile> {
    const { prefix, signal } = options;
    signal.throwIfAborted();
    const entries = await nodeFiles.readdir(join(this.#root, folder), { withFileTypes: true });
    // Folders get a trailing slash before sorting, so that paths come out in byte order. Valid names are ASCII.
    const names = entries.map((entry) => (entry.isDirectory() ? `${folder}${entry.name}/` : `${folder}${entry.name}`));
    for (const name of names.sort()) {
      if (name === `${incoming}/`) continue;
      if (name.endsWith('/')) {
        if (name.startsWith(prefix) || prefix.startsWith(name)) yield* this.#walk(name, options);
      } else if (name.startsWith(prefix)) {
        const stats = await nodeFiles.stat(join(this.#root, name)).catch(() => undefined);
        // Undefined if the file was deleted after the folder was read.
        if (stats?.isFile()) yield { name, sizeBytes: stats.size };
      }
    }
  }

  async #explain<T>(what: string, act: () => Promise<T>): Promise<T> {
    try {
      return await act();
    } catch (error) {
      if (!(error instanceof Error) || !('syscall' in error)) throw error;
      const reason = hasCode(error, 'EACCES') || hasCode(error, 'EPERM') ? 'Forbidden' : 'Unavailable';
      throw new ArchiveError(reason, `cannot ${what}: ${error.message}`, { cause: error });
    }
  }
}

/** Deletes the files of a folder that were last changed before `time`. Other writers may delete them concurrently. */
async function deleteOlder(folder: string, time: Date): Promise<void> {
  for (const name of await nodeFiles.readdir(folder)) {
    const path = join(folder, name);
    try {
      if ((await nodeFiles.stat(path)).mtime < time) await nodeFiles.unlink(path);
    } catch (error) {
      if (!isMissing(error)) throw error;
    }
  }
}

function isMissing(error: unknown): boolean {
  return hasCode(error, 'ENOENT');
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
