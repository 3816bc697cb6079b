import type { Readable } from 'node:stream';

/** File storage of an archive: a directory or a bucket. Names are paths separated by `/`, without `.` and `..`. */
export interface ArchiveStore {
  /**
   * Stores a file atomically: once this resolves, the file is durable; before that, readers do not see it.
   *
   * @returns false if the name is taken; the existing file is left unchanged
   */
  put(name: string, content: Readable, options: { readonly signal: AbortSignal }): Promise<boolean>;
  /** Opens a file for reading. Resolves to undefined if it does not exist. */
  get(name: string, options: { readonly signal: AbortSignal }): Promise<Readable | undefined>;
  /** Lists the files whose names start with `prefix`, sorted by name in byte order. */
  list(prefix: string, options: { readonly signal: AbortSignal }): AsyncIterable<ArchivedFile>;
  /** Deletes a file. Does nothing if it does not exist. */
  delete(name: string, options: { readonly signal: AbortSignal }): Promise<void>;
  /** Deletes the leftovers of interrupted writes that began before `before`, for names that start with `prefix`. */
  deleteInterrupted(prefix: string, options: { readonly before: Date; readonly signal: AbortSignal }): Promise<void>;
}

export interface ArchivedFile {
  readonly name: string;
  readonly sizeBytes: number;
}

/** Throws a TypeError unless the name is valid in every store. */
export function checkName(name: string): void {
  const parts = name.split('/');
  if (parts.some((part) => part === '' || part === '.' || part === '..') || !/^[\w.+=/-]+$/.test(name)) {
    throw new TypeError(`invalid name in an archive: ${JSON.stringify(name)}`);
  }
}
