import { join } from 'node:path';
import type { Clock } from '@kubewright/apimachinery';
import { FileLog, type LogFiles, localFiles } from './file-log.ts';
import { LineWriter } from './line-writer.ts';
import type { LogKey, LogStore, LogWriter, ReadableLog, WritableLog } from './log-store.ts';
import { MemoryLog } from './memory-log.ts';

/** Size of each of the two log files of a container: the current file and the previous file. */
const fileBytes = 10 * 1024 * 1024;

/** Options for a {@link LocalLogStore}. */
export interface LocalLogStoreOptions {
  readonly clock: Clock;
  /** @defaultValue 10 MiB */
  readonly fileBytes?: number;
  /** @defaultValue this machine's file system */
  readonly files?: LogFiles;
  /** Called with the first error when lines of a log start to be dropped. */
  readonly onDropping?: (key: LogKey, error: unknown) => void;
  /** Called with the number of dropped lines when writes succeed again or the log ends. */
  readonly onDropped?: (key: LogKey, lines: number) => void;
}

/**
 * Stores logs in the pods' folders, in files that only the agent can read. For pods without a folder, a small part is kept in
 * memory.
 */
export class LocalLogStore implements LogStore {
  readonly #options: LocalLogStoreOptions;
  readonly #logs = new Map<string, WritableLog & ReadableLog>();

  constructor(options: LocalLogStoreOptions) {
    this.#options = options;
  }

  open(key: LogKey, folder: string | undefined): LogWriter {
    const { clock, onDropping, onDropped } = this.#options;
    const id = idOf(key);
    const known = this.#logs.get(id);
    const log = known ?? this.#make(key, folder);
    this.#logs.set(id, log);
    const old = { ...key, attempt: key.attempt - 2 };
    this.#logs.get(idOf(old))?.discard();
    this.#logs.delete(idOf(old));
    const reports = {
      dropping: (error: unknown) => onDropping?.(key, error),
      dropped: (lines: number) => onDropped?.(key, lines),
    };
    return new LineWriter(log, { clock, reports });
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
    const { fileBytes: limit = fileBytes, files = localFiles } = this.#options;
    // A container name cannot start with a dot, so this folder cannot collide with a container's own.
    return new FileLog(join(folder, '.l', key.container), { attempt: key.attempt, fileBytes: limit, files });
  }
}

function idOf({ podUid, container, attempt }: LogKey): string {
  return `${podUid}/${container}/${attempt}`;
}
