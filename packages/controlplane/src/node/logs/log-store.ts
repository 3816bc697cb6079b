import type { ContainerOutput } from '../driver.ts';

/** Which log: one attempt of one container. */
export interface LogKey {
  readonly podUid: string;
  readonly container: string;
  readonly attempt: number;
}

/** Keeps what containers print, per attempt, in CRI form. */
export interface LogStore {
  /** Opens the log of an attempt for writing; only the last two attempts are kept. */
  open(key: LogKey, folder: string | undefined): LogWriter;
  /** Reads a log from its beginning, or `undefined` if it does not exist. */
  find(key: LogKey): ReadableLog | undefined;
  /** Forgets a pod's logs; the files go with the pod's folder. */
  removePod(podUid: string): void;
}

/** A log that is being written. */
export interface LogWriter extends ContainerOutput {
  /** No more comes; an unfinished line is completed. */
  close(): void;
}

/** Where lines go. */
export interface WritableLog {
  /** @throws the file system's error, with the log unchanged. */
  append(bytes: Uint8Array): void;
  end(): void;
  /** Removes all of it. */
  discard(): void;
}

/** A log that can be read, and followed while it grows. */
export interface ReadableLog {
  /** Reads the bytes after `offset` that are there now; offsets count from the log's beginning, rotated parts included. */
  read(offset: number, limit: number): { readonly bytes: Uint8Array; readonly nextOffset: number };
  readonly firstOffset: number;
  readonly endOffset: number;
  readonly closed: boolean;
  /** Resolves when there is more to read, or the log was closed, or `signal` is aborted. */
  changed(signal: AbortSignal): Promise<void>;
}
