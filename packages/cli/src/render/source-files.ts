import { existsSync, readFileSync, statSync } from 'node:fs';
import { relative } from 'node:path';

/** The location of files, and their replacements. */
export interface SourceOptions {
  /** Absolute path of a project. */
  readonly root: string;
  /** File contents that replace files on disk, by path relative to the root, with slashes. */
  readonly files?: ReadonlyMap<string, string> | undefined;
}

/** A project's files, with in-memory replacements. Paths are absolute. */
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
