import type { ContainerOutput } from '../driver.ts';

/** Identifies a log: one attempt of one container. */
export interface LogKey {
  readonly podUid: string;
  readonly container: string;
  readonly attempt: number;
}

/** Stores the output of containers per attempt, in CRI format. */
export interface LogStore {
  /** Opens the log of an attempt for writing. Only the last two attempts are kept. */
  open(key: LogKey, folder: string | undefined): LogWriter;
  /** Returns a log for reading from its beginning, or `undefined` if it does not exist. */
  find(key: LogKey): ReadableLog | undefined;
  /** Forgets a pod's logs. The files are removed with the pod's folder. */
  removePod(podUid: string): void;
}

/** A log being written. */
export interface LogWriter extends ContainerOutput {
  /** Ends the log and completes an unfinished line. */
  close(): void;
}

/** Destination of log lines. */
export interface WritableLog {
  /** Appends to the log. @throws the file system's error; the log is then unchanged. */
  append(bytes: Uint8Array): void;
  end(): void;
  /** Removes the whole log. */
  discard(): void;
}

/** A log that can be read and followed. */
export interface ReadableLog {
  /**
   * Reads available bytes from `offset` on. Offsets count from the beginning of the log, including parts that have been rotated
   * away.
   */
  read(offset: number, limit: number): { readonly bytes: Uint8Array; readonly nextOffset: number };
  readonly firstOffset: number;
  readonly endOffset: number;
  readonly closed: boolean;
  /** Resolves when there is more to read, the log is closed, or `signal` is aborted. */
  changed(signal: AbortSignal): Promise<void>;
}
