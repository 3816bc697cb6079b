import type { Readable } from 'node:stream';

/** Where an archive keeps its files: a directory, or a bucket. Names have `/` between their parts, and no `.` or `..`. */
export interface ArchiveStore {
  /**
   * Stores a file. When this resolves, the file survives a crash; before that, no reader sees a part of it.
   *
   * @returns false if a file of that name exists already; its content is then unchanged
   */
  put(name: string, content: Readable, options: { readonly signal: AbortSignal }): Promise<boolean>;
  /** Opens a file. Resolves to undefined if it does not exist. */
  get(name: string, options: { readonly signal: AbortSignal }): Promise<Readable | undefined>;
  /** Lists the names that start with a prefix, in ascending order of their bytes. */
  list(prefix: string, options: { readonly signal: AbortSignal }): AsyncIterable<ArchivedFile>;
  /** Deletes a file. Does nothing if it does not exist. */
  delete(name: string, options: { readonly signal: AbortSignal }): Promise<void>;
  /** Deletes what writes of files with a prefix have left that were interrupted, and began before a time. */
  deleteInterrupted(prefix: string, options: { readonly before: Date; readonly signal: AbortSignal }): Promise<void>;
}

export interface ArchivedFile {
  readonly name: string;
  readonly sizeBytes: number;
}

/** Throws unless a name is valid in every store. */
export function checkName(name: string): void {
  const parts = name.split('/');
  if (parts.some((part) => part === '' || part === '.' || part === '..') || !/^[\w.+=/-]+$/.test(name)) {
    throw new TypeError(`invalid name in an archive: ${JSON.stringify(name)}`);
  }
}
