import { existsSync, readFileSync, statSync } from 'node:fs';
import { relative } from 'node:path';

/** Where files are, and which of them are to be others than on disk. */
export interface SourceOptions {
  /** Absolute path of a project. */
  readonly root: string;
  /** Texts that stand for files, by their paths from the root, with slashes. */
  readonly files?: ReadonlyMap<string, string> | undefined;
}

/** A project's files, some of which may be others than on disk. Paths are absolute. */
export class SourceFiles {
  readonly root: string;
  readonly #files: ReadonlyMap<string, string>;

  constructor({ root, files = new Map() }: SourceOptions) {
    this.root = root;
    this.#files = files;
  }

  exists(path: string): boolean {
    return this.#files.has(this.#name(path)) || this.isFolder(path) || existsSync(path);
  }

  isFolder(path: string): boolean {
    const below = `${this.#name(path)}/`;
    if ([...this.#files.keys()].some((name) => name.startsWith(below))) return true;
    return existsSync(path) && statSync(path).isDirectory();
  }

  read(path: string): string {
    return this.#files.get(this.#name(path)) ?? readFileSync(path, 'utf8');
  }

  #name(path: string): string {
    return relative(this.root, path).replaceAll('\\', '/');
  }
}
