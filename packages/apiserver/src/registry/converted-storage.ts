import { parseExactJson } from '@kubewright/apimachinery/internal';
import type {
  Commit,
  Storage,
  StorageChange,
  StorageList,
  StorageListOptions,
  StorageWatch,
  StorageWatchOptions,
  StorageWrite,
  StoredObject,
} from '../storage/index.ts';
import { withRevision } from '../storage/index.ts';
import type { ObjectConverter } from './resource-definition.ts';
import { encodeStored } from './served-form.ts';
import type { Draft } from './strategy.ts';

/** Maximum number of concurrent conversions for one list. */
const parallel = 8;
const decoder = new TextDecoder();

/**
 * Storage as seen by one version of a kind that needs an external converter: reads return that version, and writes are converted
 * to the stored version. Conversions for lists and watches are cached as long as the stored bytes are in memory, as in upstream's
 * watch cache; single objects are converted on every read.
 */
export class ConvertedStorage implements Storage {
  readonly #storage: Storage;
  readonly #converter: ObjectConverter;
  readonly #apiVersion: string;
  readonly #converted = new WeakMap<Uint8Array, Promise<StoredObject>>();

  constructor(storage: Storage, options: { readonly converter: ObjectConverter; readonly apiVersion: string }) {
    this.#storage = storage;
    this.#converter = options.converter;
    this.#apiVersion = options.apiVersion;
  }

  revision(): Promise<number> {
    return this.#storage.revision();
  }

  async get(key: string): Promise<StoredObject | undefined> {
    const stored = await this.#storage.get(key);
    return stored && this.#convert(stored);
  }

  async list(options: StorageListOptions): Promise<StorageList> {
    const list = await this.#storage.list(options);
    return { ...list, objects: await this.convertAll(list.objects) };
  }

  async commit(writes: readonly StorageWrite[]): Promise<Commit> {
    const { revision, objects } = await this.#storage.commit(await Promise.all(writes.map((one) => this.#write(one))));
    return { revision, objects: await Promise.all(objects.map((stored) => stored && this.#convert(stored))) };
  }

  /** Emits changes as stored; watches convert them with {@link convertAll}. */
  watch(options: StorageWatchOptions, handler: (changes: readonly StorageChange[]) => void): Promise<StorageWatch> {
    return this.#storage.watch(options, handler);
  }

  /** Converts stored objects, several at a time, and caches the results. */
  async convertAll(objects: readonly StoredObject[]): Promise<readonly StoredObject[]> {
    const converted: StoredObject[] = [];
    for (let at = 0; at < objects.length; at += parallel) {
      converted.push(...(await Promise.all(objects.slice(at, at + parallel).map((stored) => this.#cached(stored)))));
    }
    return converted;
  }

  /** Converts an object to its stored form and back, without writing it. */
  async rehearse(made: StoredObject): Promise<StoredObject> {
    const stored = await this.#converter.convert(decode(made), this.#converter.storageApiVersion);
    return this.#convert({ ...made, bytes: encodeStored(stored) });
  }

  /** Does nothing: this view does not own the underlying storage. */
  async [Symbol.asyncDispose](): Promise<void> {}

  #cached(stored: StoredObject): Promise<StoredObject> {
    const found = this.#converted.get(stored.bytes);
    if (found !== undefined) return found;
    const made = this.#convert(stored);
    this.#converted.set(stored.bytes, made);
    // A failure is not cached, so a later read can succeed.
    made.catch(() => this.#converted.delete(stored.bytes));
    return made;
  }

  async #convert(stored: StoredObject): Promise<StoredObject> {
    const object = this.#converter.fromStored(decode(stored));
    const converted = await this.#converter.convert(object, this.#apiVersion);
    const { kind, apiVersion, metadata, ...rest } = converted;
    return { ...stored, bytes: encodeStored({ kind, apiVersion, metadata, ...rest }) };
  }

  async #write(write: StorageWrite): Promise<StorageWrite> {
    const { bytes } = write;
    const { storageApiVersion } = this.#converter;
    if (bytes === undefined || storageApiVersion === this.#apiVersion) return write;
    const draft = decode({ bytes, revision: 0 }); // the revision is not known until the write
    const { kind, apiVersion, metadata, ...rest } = await this.#converter.convert(draft, storageApiVersion);
    return { ...write, bytes: encodeStored({ kind, apiVersion, metadata, ...rest }) };
  }
}

/** Decodes a stored object. The cast is safe: the server stores only objects with a type and metadata. */
function decode(stored: Pick<StoredObject, 'bytes' | 'revision'>): Draft {
  return parseExactJson(decoder.decode(withRevision(stored))) as Draft;
}
