import { closeSync, writeSync } from 'node:fs';
import { checkCommit, checkExpected, sizeOf } from '../check-commit.ts';
import { Expiries, type ExpiringKey } from '../expiries.ts';
import type { OpenDiskOptions } from '../open-disk-storage.ts';
import { localWatch, RevisionedKeys } from '../revisioned-keys.ts';
import {
  type Commit,
  RevisionMismatchError,
  type Storage,
  type StorageChange,
  StorageClosedError,
  StorageFullError,
  type StorageList,
  type StorageListOptions,
  type StorageWatch,
  type StorageWatchOptions,
  type StorageWrite,
  type StoredObject,
} from '../storage.ts';
import { objectPrefix, summaryKey } from './disk-layout.ts';
import { encodeRecord, type Life } from './disk-record.ts';
import { DiskStorageError } from './disk-storage-error.ts';
import { encodeSummary } from './disk-summary.ts';
import type { LevelDatabase, LevelOperation } from './level-database.ts';
import { type LoadedDisk, loadDisk } from './load-disk.ts';

/** A commit that is not on disk yet. */
interface PendingCommit {
  readonly revision: number;
  readonly writes: readonly StorageWrite[];
  readonly objects: readonly (StoredObject | undefined)[];
  readonly lives: readonly (Life | undefined)[];
  readonly operations: readonly LevelOperation[];
  readonly done: (error?: unknown) => void;
}

/**
 * A {@link Storage} on disk, in a LevelDB database. Reads are served from memory, which holds all objects. A commit is visible
 * and complete once it is synced to disk; commits that arrive during a sync share the next sync. History is not kept on disk:
 * watches from revisions before the last start fail with {@link CompactedError}.
 */
export class DiskStorage implements Storage {
  readonly #options: OpenDiskOptions;
  readonly #database: LevelDatabase;
  readonly #mark: number;
  readonly #maxBytes: number;
  readonly #keys: RevisionedKeys;
  readonly #expiries: Expiries;
  readonly #checksums = new Map<string, number>();
  /** The newest values of keys with commits that are not on disk yet. */
  readonly #pending = new Map<string, { readonly revision: number; readonly object: StoredObject | undefined }>();
  #queue: PendingCommit[] = [];
  #flushing: Promise<void> | undefined;
  /** The newest revision, on disk or not. `#bytes` and `#checksum` describe the store at this revision. */
  #revision: number;
  #bytes = 0;
  #checksum: number;
  #failure: DiskStorageError | undefined;
  #closed = false;

  private constructor(options: OpenDiskOptions, { database, summary, records, mark }: LoadedDisk) {
    this.#options = options;
    this.#database = database;
    this.#mark = mark;
    this.#maxBytes = options.maxBytes ?? 512 * 1024 * 1024;
    this.#revision = summary.revision;
    this.#checksum = summary.checksum;
    const compacted = summary.revision > 1 ? summary.revision : 0;
    const objects = records.map(({ object }) => object);
    this.#keys = new RevisionedKeys(options, { revision: summary.revision, compacted, objects });
    this.#expiries = new Expiries(options.clock, (due) => this.#expire(due));
    for (const { object, checksum } of records) {
      this.#checksums.set(object.key, checksum);
      this.#bytes += sizeOf(object);
    }
    const living = records.flatMap(({ object, life }) => (life ? [{ object, life }] : []));
    const nowMs = options.clock.now();
    for (const { object, life } of living.sort((a, b) => a.life.endMs - b.life.endMs)) {
      const { ttlSeconds, endMs } = life;
      // Limited to the time to live, because the clock may have been set back since the write.
      this.#expiries.set(object, { ttlSeconds, leftMs: Math.min(endMs - nowMs, ttlSeconds * 1000) });
    }
  }

  /**
   * Opens the store in a folder.
   *
   * @throws {@link StorageCorruptError} if it is damaged; {@link DiskStorageError} if it cannot be opened.
   */
  static async open(options: OpenDiskOptions): Promise<DiskStorage> {
    return new DiskStorage(options, await loadDisk(options.directory));
  }

  async revision(): Promise<number> {
    this.#assertOpen();
    return this.#keys.revision;
  }

  async get(key: string): Promise<StoredObject | undefined> {
    this.#assertOpen();
    return this.#keys.get(key);
  }

  async list(options: StorageListOptions): Promise<StorageList> {
    this.#assertOpen();
    return this.#keys.list(options);
  }

  async commit(writes: readonly StorageWrite[]): Promise<Commit> {
    this.#assertOpen();
    checkCommit(writes);
    // There is no await between the last check and queueing the commit, so the result of the check is still valid.
    for (let busy = this.#checkExpected(writes); busy; busy = this.#checkExpected(writes)) await busy;
    if (this.#failure) throw this.#failure;
    this.#checkSpace(writes);
    const revision = ++this.#revision;
    const objects = writes.map(({ key, bytes }) => (bytes ? { key, bytes, revision } : undefined));
    await this.#write({ revision, writes, objects });
    return { revision, objects };
  }

  async watch(
    options: StorageWatchOptions,
    handler: (changes: readonly StorageChange[]) => void,
  ): Promise<StorageWatch> {
    this.#assertOpen();
    return localWatch(this.#keys.watch(options, handler), () => this.#keys.revision);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.#expiries[Symbol.dispose]();
    await this.#flushing;
    this.#keys[Symbol.dispose]();
    await this.#database.close();
    closeSync(this.#mark);
  }

  /**
   * Checks the expected revisions, including commits that are not on disk yet. On a conflict with a pending commit,
   * returns a promise that resolves once that commit is on disk: a writer rereads the key after a conflict and must
   * then see the new value.
   */
  #checkExpected(writes: readonly StorageWrite[]): Promise<void> | undefined {
    for (const write of writes) {
      const current = this.#current(write.key);
      if ((current?.revision ?? 0) === write.expected) continue;
      if (this.#pending.has(write.key) && this.#flushing) return this.#flushing;
      checkExpected(write, current);
    }
    return undefined;
  }

  #current(key: string): StoredObject | undefined {
    const pending = this.#pending.get(key);
    return pending ? pending.object : this.#keys.get(key);
  }

  #checkSpace(writes: readonly StorageWrite[]): void {
    let added = 0;
    for (const { key, bytes } of writes) {
      added += (bytes ? key.length + bytes.length : 0) - sizeOf(this.#current(key));
    }
    if (added > 0 && this.#bytes + added > this.#maxBytes) throw new StorageFullError(this.#maxBytes);
    this.#bytes += added;
  }

  /** Queues a commit and waits until it is on disk. */
  #write({ revision, writes, objects }: Pick<PendingCommit, 'revision' | 'writes' | 'objects'>): Promise<void> {
    const nowMs = this.#options.clock.now();
    const lives = writes.map(({ ttlSeconds, bytes }) =>
      ttlSeconds === undefined || !bytes ? undefined : { ttlSeconds, endMs: nowMs + ttlSeconds * 1000 },
    );
    const operations = writes.map(({ key }, index) =>
      this.#operation(key, { object: objects[index], life: lives[index] }),
    );
    for (const [index, { key }] of writes.entries()) this.#pending.set(key, { revision, object: objects[index] });
    return new Promise((resolve, reject) => {
      const done = (error?: unknown): void => (error === undefined ? resolve() : reject(error as Error));
      this.#queue.push({ revision, writes, objects, lives, operations, done });
      this.#flushing ??= this.#flush();
    });
  }

  #operation(
    key: string,
    { object, life }: { readonly object: StoredObject | undefined; readonly life: Life | undefined },
  ): LevelOperation {
    this.#checksum ^= this.#checksums.get(key) ?? 0;
    if (!object) {
      this.#checksums.delete(key);
      return { type: 'del', key: objectPrefix + key };
    }
    const { value, checksum } = encodeRecord(object, life);
    this.#checksum ^= checksum;
    this.#checksums.set(key, checksum);
    return { type: 'put', key: objectPrefix + key, value };
  }

  async #flush(): Promise<void> {
    await undefined; // collects all commits of this turn of the event loop
    while (this.#queue.length > 0) {
      const commits = this.#queue;
      this.#queue = [];
      const summary = encodeSummary({
        format: 1,
        revision: this.#revision,
        objects: this.#checksums.size,
        checksum: this.#checksum >>> 0,
      });
      const operations = commits.flatMap((commit) => commit.operations);
      try {
        await this.#database.batch([...operations, { type: 'put', key: summaryKey, value: summary }], { sync: true });
        writeSync(this.#mark, String(this.#revisionOf(commits)).padEnd(16), 0);
      } catch (error) {
        this.#fail(error, commits);
        break;
      }
      for (const commit of commits) this.#apply(commit);
    }
    this.#flushing = undefined;
  }

  #revisionOf(commits: readonly PendingCommit[]): number {
    return commits[commits.length - 1]?.revision ?? this.#keys.revision;
  }

  /** Publishes a commit to readers. */
  #apply({ revision, writes, objects, lives, done }: PendingCommit): void {
    this.#keys.apply(
      revision,
      writes.map(({ key }, index) => ({ key, object: objects[index] })),
    );
    for (const [index, { key }] of writes.entries()) {
      if (this.#pending.get(key)?.revision === revision) this.#pending.delete(key);
      const life = lives[index];
      if (life) this.#expiries.set({ key, revision }, { ttlSeconds: life.ttlSeconds });
      else this.#expiries.delete(key);
    }
    done();
  }

  /**
   * Rejects all writes from now on: it is unknown how much of the failed write is on disk. Reads still return acknowledged
   * writes.
   */
  #fail(cause: unknown, commits: readonly PendingCommit[]): void {
    const { directory } = this.#options;
    const { message } = ((cause as { readonly cause?: unknown }).cause ?? cause) as Error;
    const remedy = 'free disk space or repair the disk, then restart the cluster';
    this.#failure = new DiskStorageError(
      { what: `cannot write to the object store in ${directory}`, why: message, remedy },
      { cause },
    );
    for (const { done } of [...commits, ...this.#queue]) done(this.#failure);
    this.#queue = [];
    this.#pending.clear();
  }

  async #expire(due: readonly ExpiringKey[]): Promise<void> {
    const writes = due
      .filter(({ key, revision }) => this.#current(key)?.revision === revision)
      .map(({ key, revision }) => ({ key, expected: revision, bytes: undefined }));
    if (writes.length === 0 || this.#closed) return;
    try {
      await this.commit(writes);
    } catch (error) {
      // Another write came first, or the disk failed: the next write reports that.
      if (!(error instanceof RevisionMismatchError || error instanceof DiskStorageError)) throw error;
    }
  }

  #assertOpen(): void {
    if (this.#closed) throw new StorageClosedError();
  }
}
