import type { Clock, Timer } from '@kubewright/apimachinery';
import { ChangeHistory } from './change-history.ts';
import type { KeyVersion } from './key-entry.ts';
import { KeyTree } from './key-tree.ts';
import {
  CompactedError,
  FutureRevisionError,
  type StorageChange,
  type StorageList,
  type StorageListOptions,
  type StorageWatch,
  type StorageWatchOptions,
  type StoredObject,
} from './storage.ts';
import { Subscriptions } from './subscriptions.ts';

/** Options for {@link RevisionedKeys}. */
export interface RevisionedKeysOptions {
  readonly clock: Clock;
  /** Time for which history is kept, in milliseconds. @defaultValue 5 minutes */
  readonly historyMs?: number | undefined;
  /** Maximum size of superseded content in history, in bytes. @defaultValue 64 MiB */
  readonly historyBytes?: number | undefined;
  /** Called with errors thrown by watch handlers. @defaultValue rethrows in a microtask, which ends the process */
  readonly onWatcherFault?: ((error: unknown) => void) | undefined;
}

/** Measured size of a history record in bytes: four small objects, without the superseded value that it keeps alive. */
const recordBytes = 256;

/** Rethrows an error in a microtask, so that it is not lost. The default fault handler. */
function throwLater(error: unknown): void {
  queueMicrotask(() => {
    throw error;
  });
}

/**
 * Keys with their current values and recent history, in memory. The memory store, the disk store and the watch cache
 * are built on this class and decide which changes to apply at which revision. Each version of a key links to the
 * previous one, until the previous version is compacted.
 */
export class RevisionedKeys implements Disposable {
  readonly #clock: Clock;
  readonly #historyMs: number;
  readonly #tree = new KeyTree();
  readonly #history: ChangeHistory;
  readonly #subscriptions: Subscriptions;
  #revision: number;
  #compacted: number;
  #timer: Timer | undefined;

  /** @param start - the initial revision and its objects; revisions before `compacted` cannot be read. */
  constructor(
    options: RevisionedKeysOptions,
    start: { readonly revision: number; readonly compacted: number; readonly objects?: Iterable<StoredObject> },
  ) {
    this.#clock = options.clock;
    this.#historyMs = options.historyMs ?? 5 * 60_000;
    this.#history = new ChangeHistory({
      maxAgeMs: this.#historyMs,
      maxBytes: options.historyBytes ?? 64 * 1024 * 1024,
    });
    this.#subscriptions = new Subscriptions(options.onWatcherFault ?? throwLater);
    this.#revision = start.revision;
    this.#compacted = start.compacted;
    for (const object of start.objects ?? []) {
      this.#tree.put(object.key, { revision: object.revision, object, previous: undefined });
    }
  }

  /** The revision of the last change. */
  get revision(): number {
    return this.#revision;
  }

  /** The oldest revision whose state is known. */
  get compacted(): number {
    return this.#compacted;
  }

  get(key: string): StoredObject | undefined {
    return this.#tree.get(key)?.head.object;
  }

  /** Lists keys, as {@link Storage.list} does. */
  list(options: StorageListOptions): StorageList {
    const revision = options.revision ?? this.#revision;
    if (revision > this.#revision) throw new FutureRevisionError(revision, this.#revision);
    if (revision < this.#compacted) throw new CompactedError(revision, this.#compacted);
    return { ...this.#tree.list({ ...options, revision }), revision };
  }

  /** Applies the changes of one revision and queues them for delivery. */
  apply(
    revision: number,
    changed: readonly { readonly key: string; readonly object: StoredObject | undefined }[],
  ): void {
    this.#revision = revision;
    const atMs = this.#clock.monotonic();
    const changes = changed.map(({ key, object }) => this.#put(key, { revision, object, atMs }));
    this.#compactUntil(atMs);
    this.#subscriptions.publish(changes);
  }

  /** Records that there are no further changes up to a revision. */
  advance(revision: number): void {
    this.#revision = Math.max(this.#revision, revision);
  }

  /** Drops all history before a revision. Watches can no longer start before that revision. */
  compact(revision: number): void {
    for (let records = this.#history.takeOldest(); records; records = this.#history.takeOldest()) this.#drop(records);
    this.#compacted = revision;
  }

  /** Watches keys, as {@link Storage.watch} does. History is delivered during the call. */
  watch(options: StorageWatchOptions, handler: (changes: readonly StorageChange[]) => void): Disposable {
    const { prefix, fromRevision } = options;
    if (fromRevision < this.#compacted) throw new CompactedError(fromRevision, this.#compacted);
    const past = this.#history.since(prefix, fromRevision);
    const delivered = Math.max(fromRevision, this.#revision);
    if (past.length > 0) handler(past);
    return this.#subscriptions.add({ prefix, fromRevision: delivered }, handler);
  }

  [Symbol.dispose](): void {
    this.#timer?.[Symbol.dispose]();
    this.#timer = undefined;
    this.#subscriptions.clear();
  }

  #put(
    key: string,
    write: { readonly revision: number; readonly object: StoredObject | undefined; readonly atMs: number },
  ): StorageChange {
    const { revision, object, atMs } = write;
    const version: KeyVersion = { revision, object, previous: undefined };
    const entry = this.#tree.put(key, version);
    const previous = (version.previous as KeyVersion | undefined)?.object; // set by put()
    const change: StorageChange = { key, revision, current: object, previous };
    this.#history.add({ change, entry, version, atMs, cost: recordBytes + (previous?.bytes.length ?? 0) });
    return change;
  }

  #compactUntil(nowMs: number): void {
    for (let records = this.#history.takeExpired(nowMs); records; records = this.#history.takeExpired(nowMs)) {
      this.#drop(records);
    }
    const oldestAtMs = this.#history.oldestAtMs;
    if (this.#timer || oldestAtMs === undefined) return;
    const wake = (): void => {
      this.#timer = undefined;
      this.#compactUntil(this.#clock.monotonic());
    };
    this.#timer = this.#clock.setTimer(oldestAtMs + this.#historyMs - nowMs, wake, { unref: true });
  }

  #drop(records: ReturnType<ChangeHistory['takeOldest']> & object): void {
    for (const { entry, version, change } of records) {
      this.#tree.compact(entry, version);
      this.#compacted = change.revision;
    }
  }
}

/**
 * Returns the watch of an in-process store. The store delivers changes in a microtask that it queues when the changes
 * become visible.
 */
export function localWatch(subscription: Disposable, revision: () => number): StorageWatch {
  return {
    async synced() {
      const reached = revision();
      await undefined; // after a microtask, the changes up to that revision have been delivered
      return reached;
    },
    [Symbol.dispose]: () => subscription[Symbol.dispose](),
  };
}
