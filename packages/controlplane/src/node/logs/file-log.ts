import { Buffer } from 'node:buffer';
import * as fs from 'node:fs';
import { join } from 'node:path';
import type { ReadableLog, WritableLog } from './log-store.ts';

/** The file operations that logs use, so tests can make them fail. */
export type LogFiles = Pick<
  typeof fs,
  | 'closeSync'
  | 'fstatSync'
  | 'ftruncateSync'
  | 'mkdirSync'
  | 'openSync'
  | 'readSync'
  | 'renameSync'
  | 'rmSync'
  | 'writeSync'
>;

/** The local file system. */
export const localFiles: LogFiles = fs;

/**
 * A log in two files: the current file and the previous file. Writes are synchronous, which slows down a container that prints
 * faster than the disk accepts. A failed write leaves the log unchanged.
 */
export class FileLog implements WritableLog, ReadableLog {
  readonly #folder: string;
  readonly #path: string;
  readonly #limit: number;
  readonly #files: LogFiles;
  /** Undefined until the first write has opened it. */
  #file: number | undefined;
  #before: number | undefined;
  #start = 0;
  #length = 0;
  #beforeLength = 0;
  #closed = false;
  #waiting: (() => void)[] = [];

  constructor(
    folder: string,
    options: { readonly attempt: number; readonly fileBytes: number; readonly files: LogFiles },
  ) {
    this.#folder = folder;
    this.#path = join(folder, `${options.attempt}.log`);
    this.#limit = options.fileBytes;
    this.#files = options.files;
  }

  get firstOffset(): number {
    return this.#start - this.#beforeLength;
  }

  get endOffset(): number {
    return this.#start + this.#length;
  }

  get closed(): boolean {
    return this.#closed;
  }

  append(bytes: Uint8Array): void {
    if (this.#length > 0 && this.#length + bytes.length > this.#limit) this.#rotate();
    this.#file ??= this.#open();
    let at = 0;
    try {
      while (at < bytes.length) at += this.#files.writeSync(this.#file, bytes, at);
    } catch (error) {
      // No reader may see a partial line. Truncating a file needs no space.
      if (at > 0) this.#files.ftruncateSync(this.#file, this.#length);
      throw error;
    }
    this.#length += bytes.length;
    this.#wake();
  }

  end(): void {
    this.#closed = true;
    this.#wake();
  }

  discard(): void {
    this.end();
    for (const file of [this.#file, this.#before]) if (file !== undefined) this.#files.closeSync(file);
    this.#file = undefined;
    this.#before = undefined;
    this.#length = 0;
    this.#beforeLength = 0;
    for (const path of [this.#path, `${this.#path}.1`]) {
      try {
        this.#files.rmSync(path, { force: true });
      } catch {
        // The disk is read-only or failing. The pod's removal deletes the file with the pod's folder, or reports the
        // error.
      }
    }
  }

  read(offset: number, limit: number): { readonly bytes: Uint8Array; readonly nextOffset: number } {
    const from = Math.max(offset, this.firstOffset);
    const inBefore = from < this.#start && this.#before !== undefined;
    const file = inBefore ? this.#before : this.#file;
    const base = inBefore ? this.#start - this.#beforeLength : this.#start;
    const available = (inBefore ? this.#start : this.endOffset) - from;
    const bytes = Buffer.alloc(Math.max(Math.min(available, limit), 0));
    const isEmpty = bytes.length === 0 || file === undefined;
    const length = isEmpty ? 0 : this.#files.readSync(file, bytes, 0, bytes.length, from - base);
    return { bytes: bytes.subarray(0, length), nextOffset: from + length };
  }

  changed(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      if (this.#closed || signal.aborted) {
        resolve();
        return;
      }
      signal.addEventListener('abort', () => resolve(), { once: true });
      this.#waiting.push(resolve);
    });
  }

  #open(): number {
    this.#files.mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
    const file = this.#files.openSync(this.#path, 'a+', 0o600);
    this.#length = this.#files.fstatSync(file).size;
    return file;
  }

  #rotate(): void {
    const next = `${this.#path}.new`;
    let file: number;
    try {
      // Open the new file first, so that a failure changes nothing: the current file then exceeds its limit.
      file = this.#files.openSync(next, 'a+', 0o600);
    } catch {
      // No file can be opened (EMFILE, ENOSPC): the next write retries.
      return;
    }
    try {
      this.#files.renameSync(this.#path, `${this.#path}.1`);
      this.#files.renameSync(next, this.#path);
    } catch {
      // The open files keep their content; only the names on disk are wrong.
    }
    if (this.#before !== undefined) this.#files.closeSync(this.#before);
    this.#before = this.#file;
    this.#beforeLength = this.#length;
    this.#start += this.#length;
    this.#length = 0;
    this.#file = file;
  }

  #wake(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const resolve of waiting) resolve();
  }
}
