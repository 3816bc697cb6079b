import { Buffer } from 'node:buffer';
import { closeSync, fstatSync, mkdirSync, openSync, readSync, renameSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '@kubewright/apimachinery';
import { criLine, logTime } from './cri-line.ts';
import type { LogKey, LogStore, LogWriter, ReadableLog } from './log-store.ts';
import { MemoryLog } from './memory-log.ts';

/** A container keeps two files of this size: the present one and the one before. */
const fileBytes = 10 * 1024 * 1024;
/** A line longer than this is written in parts. */
const lineBytes = 16 * 1024;

/** Keeps logs in the pods' folders, in files that the agent alone can read; of pods without a folder a little in memory. */
export class LocalLogStore implements LogStore {
  readonly #clock: Clock;
  readonly #logs = new Map<string, WritableLog & ReadableLog>();
  readonly #fileBytes: number;

  constructor(options: { readonly clock: Clock; readonly fileBytes?: number }) {
    this.#clock = options.clock;
    this.#fileBytes = options.fileBytes ?? fileBytes;
  }

  open(key: LogKey, folder: string | undefined): LogWriter {
    const id = idOf(key);
    const known = this.#logs.get(id);
    const log = known ?? this.#make(key, folder);
    this.#logs.set(id, log);
    const old = { ...key, attempt: key.attempt - 2 };
    this.#logs.get(idOf(old))?.discard();
    this.#logs.delete(idOf(old));
    return new LineWriter(log, this.#clock);
  }

  find(key: LogKey): ReadableLog | undefined {
    return this.#logs.get(idOf(key));
  }

  removePod(podUid: string): void {
    for (const [id, log] of this.#logs) {
      if (!id.startsWith(`${podUid}/`)) continue;
      log.discard();
      this.#logs.delete(id);
    }
  }

  #make(key: LogKey, folder: string | undefined): WritableLog & ReadableLog {
    if (folder === undefined) return new MemoryLog();
    // No container can have that name, so none gets this folder for its own.
    return new FileLog(join(folder, '.l', key.container), { attempt: key.attempt, fileBytes: this.#fileBytes });
  }
}

/** Where lines go. */
export interface WritableLog {
  append(bytes: Uint8Array): void;
  end(): void;
  discard(): void;
}

function idOf({ podUid, container, attempt }: LogKey): string {
  return `${podUid}/${container}/${attempt}`;
}

/** Cuts output into lines, each stream by itself. */
class LineWriter implements LogWriter {
  readonly #log: WritableLog;
  readonly #clock: Clock;
  readonly #rest = { stdout: Buffer.alloc(0), stderr: Buffer.alloc(0) };
  #closed = false;

  constructor(log: WritableLog, clock: Clock) {
    this.#log = log;
    this.#clock = clock;
  }

  write(stream: 'stdout' | 'stderr', chunk: Uint8Array): void {
    if (this.#closed) return;
    const time = logTime(this.#clock.now());
    let rest: Buffer = Buffer.concat([this.#rest[stream], chunk]);
    const lines: Uint8Array[] = [];
    for (;;) {
      const end = rest.indexOf(0x0a);
      if (end >= 0 && end <= lineBytes) {
        lines.push(criLine({ time, stream, isPartial: false, text: rest.subarray(0, end) }));
        rest = rest.subarray(end + 1);
      } else if (rest.length > lineBytes) {
        lines.push(criLine({ time, stream, isPartial: true, text: rest.subarray(0, lineBytes) }));
        rest = rest.subarray(lineBytes);
      } else break;
    }
    this.#rest[stream] = Buffer.from(rest);
    if (lines.length > 0) this.#log.append(Buffer.concat(lines));
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    const time = logTime(this.#clock.now());
    for (const stream of ['stdout', 'stderr'] as const) {
      const text = this.#rest[stream];
      if (text.length > 0) this.#log.append(criLine({ time, stream, isPartial: true, text }));
    }
    this.#log.end();
  }
}

/** A log in two files. Writes wait for the disk: that holds back a container that prints faster than the disk takes it. */
class FileLog implements WritableLog, ReadableLog {
  readonly #path: string;
  readonly #limit: number;
  #file: number;
  #before: number | undefined;
  #start = 0;
  #length = 0;
  #beforeLength = 0;
  #closed = false;
  #waiting: (() => void)[] = [];

  constructor(folder: string, options: { readonly attempt: number; readonly fileBytes: number }) {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    this.#path = join(folder, `${options.attempt}.log`);
    this.#limit = options.fileBytes;
    this.#file = openSync(this.#path, 'a+', 0o600);
    this.#length = fstatSync(this.#file).size;
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
    let at = 0;
    while (at < bytes.length) at += writeSync(this.#file, bytes, at);
    this.#length += bytes.length;
    this.#wake();
  }

  end(): void {
    this.#closed = true;
    this.#wake();
  }

  discard(): void {
    this.end();
    closeSync(this.#file);
    if (this.#before !== undefined) closeSync(this.#before);
    rmSync(this.#path, { force: true });
    rmSync(`${this.#path}.1`, { force: true });
    this.#length = 0;
    this.#beforeLength = 0;
  }

  read(offset: number, limit: number): { readonly bytes: Uint8Array; readonly nextOffset: number } {
    const from = Math.max(offset, this.firstOffset);
    const inBefore = from < this.#start && this.#before !== undefined;
    const file = inBefore ? (this.#before ?? this.#file) : this.#file;
    const base = inBefore ? this.#start - this.#beforeLength : this.#start;
    const available = (inBefore ? this.#start : this.endOffset) - from;
    const bytes = Buffer.alloc(Math.max(Math.min(available, limit), 0));
    const length = bytes.length === 0 ? 0 : readSync(file, bytes, 0, bytes.length, from - base);
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

  #rotate(): void {
    if (this.#before !== undefined) closeSync(this.#before);
    renameSync(this.#path, `${this.#path}.1`);
    this.#before = this.#file;
    this.#beforeLength = this.#length;
    this.#start += this.#length;
    this.#length = 0;
    this.#file = openSync(this.#path, 'a+', 0o600);
  }

  #wake(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const resolve of waiting) resolve();
  }
}
