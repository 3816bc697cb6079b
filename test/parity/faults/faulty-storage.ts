import { VirtualClock } from '@kubewright/apimachinery';
import { MemoryStorage, type Storage } from '@kubewright/apiserver';
import type {
  Commit,
  StorageChange,
  StorageList,
  StorageListOptions,
  StorageWatch,
  StorageWatchOptions,
  StorageWrite,
  StoredObject,
} from '../../../packages/apiserver/src/storage/storage.ts';
import type { JsonObject } from '../parity-kinds.ts';

/** Faults to inject between the server and its storage. */
export interface StorageFaults {
  /** Replaces an object before it is stored; `previous` is the stored object. */
  readonly stored?: ((object: JsonObject, previous: JsonObject | undefined) => JsonObject) | undefined;
  /** Called for each watch; the result replaces the changes that the watch receives. */
  readonly watched?: (() => (changes: readonly StorageChange[]) => readonly StorageChange[]) | undefined;
  /** Replaces the options of lists. */
  readonly listed?: ((options: StorageListOptions) => StorageListOptions) | undefined;
}

/** An in-memory storage that injects faults for the objects of the suite. Objects of the server itself are not affected. */
export class FaultyStorage implements Storage {
  readonly #memory: MemoryStorage = new MemoryStorage({ clock: new VirtualClock(0) });
  readonly #faults: StorageFaults;

  constructor(faults: StorageFaults) {
    this.#faults = faults;
  }

  revision(): Promise<number> {
    return this.#memory.revision();
  }

  get(key: string): Promise<StoredObject | undefined> {
    return this.#memory.get(key);
  }

  list(options: StorageListOptions): Promise<StorageList> {
    const { listed } = this.#faults;
    return this.#memory.list(listed && isOfSuite(options.prefix) ? listed(options) : options);
  }

  async commit(writes: readonly StorageWrite[]): Promise<Commit> {
    return this.#memory.commit(await Promise.all(writes.map((write) => this.#faulty(write))));
  }

  watch(options: StorageWatchOptions, handler: (changes: readonly StorageChange[]) => void): Promise<StorageWatch> {
    const watched = this.#faults.watched?.();
    return this.#memory.watch(options, watched ? (changes) => handler(watched(changes)) : handler);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#memory[Symbol.asyncDispose]();
  }

  async #faulty(write: StorageWrite): Promise<StorageWrite> {
    const { stored } = this.#faults;
    if (!stored || write.bytes === undefined || !isOfSuite(write.key)) return write;
    const previous = await this.#memory.get(write.key);
    const object = stored(objectOf(write.bytes), previous && objectOf(previous.bytes));
    return { ...write, bytes: Buffer.from(JSON.stringify(object)) };
  }
}

/** Reports whether a key belongs to a sequence's object (`…-s4000-a`) or to its namespace (`…-s4000`). */
export function isOfSuite(key: string): boolean {
  return /-s\d+(-\w)?(\/|$)/.test(key);
}

function objectOf(bytes: Uint8Array): JsonObject {
  return JSON.parse(Buffer.from(bytes).toString('utf8')) as JsonObject;
}
