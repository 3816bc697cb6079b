import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readdirSync,
  rmdirSync,
  type Stats,
  unlinkSync,
} from 'node:fs';
import { join } from 'node:path';

const isLinux = process.platform === 'linux';
/** Linux's `O_PATH`, which opens a file of any type, but not its content. Node does not export it. */
const pathOnly = 0o10000000;

/** Creates one missing component of a path. */
export type MakePart = (path: string, part: { readonly isLast: boolean }) => void;

/**
 * An open file or folder that a container may move or replace. Its path is opened one component at a time without
 * following links, as with `openat2`. On Linux, the same file stays open; on other systems, only the path is checked.
 */
export class PinnedPath implements Disposable {
  /** Path under which functions of this process can use the file until it is disposed. */
  readonly path: string;
  readonly stats: Stats;
  readonly #descriptor: number | undefined;

  /** @throws the system's errors; `ELOOP` if the path is a symbolic link */
  constructor(path: string) {
    this.#descriptor = isLinux ? openSync(path, pathOnly | constants.O_NOFOLLOW) : undefined;
    this.stats = this.#descriptor === undefined ? lstatSync(path) : fstatSync(this.#descriptor);
    this.path = this.#descriptor === undefined ? path : `/proc/self/fd/${this.#descriptor}`;
    if (!this.stats.isSymbolicLink()) return;
    this[Symbol.dispose]();
    throw linkError(path);
  }

  /**
   * Opens a path below a folder.
   *
   * @param folder - a folder whose own path containers cannot change.
   * @param options - `make`: creates missing parts.
   * @defaultValue missing parts are errors
   * @throws the system's errors; `ELOOP` if a part is a symbolic link or leads upward
   */
  static within(folder: string, options: { readonly below: string; readonly make?: MakePart | undefined }): PinnedPath {
    const { below, make } = options;
    const parts = below.split('/').filter((name) => name !== '' && name !== '.');
    let current = new PinnedPath(folder);
    for (const [index, name] of parts.entries()) {
      const parent = current;
      try {
        if (name === '..') throw linkError(below);
        current = parent.#child(name, make && ((path) => make(path, { isLast: index === parts.length - 1 })));
      } finally {
        parent[Symbol.dispose]();
      }
    }
    return current;
  }

  /** Returns true if the stats belong to this file. */
  isSameFile({ dev, ino }: Stats): boolean {
    return this.stats.dev === dev && this.stats.ino === ino;
  }

  /** Removes everything in the folder. */
  empty(options: { readonly beforeFile?: (path: string) => void } = {}): void {
    for (const name of readdirSync(this.path)) this.#remove(join(this.path, name), options);
  }

  [Symbol.dispose](): void {
    if (this.#descriptor !== undefined) closeSync(this.#descriptor);
  }

  #child(name: string, make: ((path: string) => void) | undefined): PinnedPath {
    const path = join(this.path, name);
    try {
      return new PinnedPath(path);
    } catch (error) {
      if (!make || codeOf(error) !== 'ENOENT') throw error;
    }
    make(path);
    return new PinnedPath(path);
  }

  #remove(path: string, options: { readonly beforeFile?: (path: string) => void }): void {
    const child = openUnless(path, ['ENOENT', 'ELOOP']);
    try {
      if (child?.stats.isDirectory()) {
        child.empty(options);
        rmdirSync(path);
        return;
      }
      if (child?.stats.isFile()) options.beforeFile?.(child.path);
    } finally {
      child?.[Symbol.dispose]();
    }
    try {
      unlinkSync(path);
    } catch (error) {
      if (codeOf(error) !== 'ENOENT') throw error;
    }
  }
}

/**
 * Removes a folder that this process created, with everything that containers have put into it, even while they change it. Does
 * nothing if the folder does not exist.
 *
 * @param options - `beforeFile`: called with each regular file.
 */
export function removeFolder(folder: string, options: { readonly beforeFile?: (path: string) => void } = {}): void {
  const root = openUnless(folder, ['ENOENT']);
  if (!root) return;
  try {
    root.empty(options);
  } finally {
    root[Symbol.dispose]();
  }
  rmdirSync(folder);
}

function openUnless(path: string, codes: readonly string[]): PinnedPath | undefined {
  try {
    return new PinnedPath(path);
  } catch (error) {
    if (codes.includes(codeOf(error) ?? '')) return undefined;
    throw error;
  }
}

function linkError(path: string): NodeJS.ErrnoException {
  return Object.assign(new Error(`ELOOP: the path leads through a symbolic link, '${path}'`), { code: 'ELOOP' });
}

function codeOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException).code;
}
