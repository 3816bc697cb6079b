import { chmod, mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { KubewrightError } from '@kubewright/apimachinery';
import { folderFault } from '@kubewright/apimachinery/internal';

/** Thrown when the key folder cannot be used. */
export class KeyFolderError extends KubewrightError {
  override readonly name = 'KeyFolderError';
  readonly code = 'KW5102';
  readonly folder: string;

  constructor(folder: string, cause: unknown) {
    const { why, remedy } = folderFault(cause, { path: folder, instead: 'use another folder' });
    super({ what: `cannot store the cluster's keys in ${folder}`, why, remedy }, { cause });
    this.folder = folder;
  }
}

/** Stores small secrets, either in a folder that only this user may access, or in memory if there is no folder. */
export class KeyFolder {
  readonly #folder: string | undefined;
  readonly #memory = new Map<string, string>();

  constructor(folder: string | undefined) {
    this.#folder = folder;
  }

  /** Creates the folder and removes all access for other users. */
  async prepare(): Promise<void> {
    const folder = this.#folder;
    if (folder === undefined) return;
    await this.#attempt(async () => {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      await chmod(folder, 0o700);
    });
  }

  /** Reads a file; `undefined` if it does not exist. */
  async read(name: string): Promise<string | undefined> {
    if (this.#folder === undefined) return this.#memory.get(name);
    const path = join(this.#folder, name);
    return this.#attempt(async () => {
      try {
        return await readFile(path, 'utf8');
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
        throw error;
      }
    });
  }

  /** Writes a file atomically. */
  async write(name: string, text: string): Promise<void> {
    if (this.#folder === undefined) {
      this.#memory.set(name, text);
      return;
    }
    const path = join(this.#folder, name);
    await this.#attempt(async () => {
      await writeFile(`${path}.new`, text, { mode: 0o600 });
      await rename(`${path}.new`, path);
    });
  }

  async #attempt<T>(action: () => Promise<T>): Promise<T> {
    try {
      return await action();
    } catch (error) {
      throw new KeyFolderError(this.#folder ?? '', error);
    }
  }
}
