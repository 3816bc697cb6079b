import type {
  Commit,
  Storage,
  StorageChange,
  StorageList,
  StorageListOptions,
  StorageWatchOptions,
  StorageWrite,
  StoredObject,
} from '../../storage/index.ts';
import type { ObjectConverter } from './resource-definition.ts';
import { encodeStored } from './served-form.ts';
import type { Draft } from './strategy.ts';

/** How many objects of a list are asked about at a time. */
const PARALLEL = 8;
const decoder = new TextDecoder();

/**
 * Storage as one version of a kind sees it, when somebody has to be asked to convert: everything is read in that version
 * and written in the one that is stored. What lists and watches converted is kept as long as the stored bytes live, as
 * in upstream's watch cache; single objects are converted anew each time.
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

  get revision(): number {
    return this.#storage.revision;
  }

  get compactedRevision(): number {
    return this.#storage.compactedRevision;
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

  /** Changes as they are stored: watches convert them by {@link convertAll}. */
  watch(options: StorageWatchOptions, handler: (changes: readonly StorageChange[]) => void): Disposable {
    return this.#storage.watch(options, handler);
  }

  /** Converts stored objects, some at a time, and remembers what they became. */
  async convertAll(objects: readonly StoredObject[]): Promise<readonly StoredObject[]> {
    const converted: StoredObject[] = [];
    for (let at = 0; at < objects.length; at += PARALLEL) {
      converted.push(
        ...(await Promise.all(objects.slice(at, at + PARALLEL).map((stored) => this.#remembered(stored)))),
      );
    }
    return converted;
  }

  /** Converts what would be written into what would be stored, and back. */
  async rehearse(made: StoredObject): Promise<StoredObject> {
    const draft = decode(made.bytes);
    const stored = await this.#converter.convert(draft, this.#converter.storageApiVersion);
    return this.#convert({ ...made, bytes: Buffer.from(JSON.stringify(stored)) });
  }

  /** It is not this view's to close. */
  async [Symbol.asyncDispose](): Promise<void> {}

  #remembered(stored: StoredObject): Promise<StoredObject> {
    const found = this.#converted.get(stored.bytes);
    if (found !== undefined) return found;
    const made = this.#convert(stored);
    this.#converted.set(stored.bytes, made);
    // The next one who asks may have more luck.
    made.catch(() => this.#converted.delete(stored.bytes));
    return made;
  }

  async #convert(stored: StoredObject): Promise<StoredObject> {
    const object = this.#converter.fromStored(decode(stored.bytes));
    const converted = await this.#converter.convert(object, this.#apiVersion);
    const { kind, apiVersion, metadata, ...rest } = converted;
    return { ...stored, bytes: Buffer.from(JSON.stringify({ kind, apiVersion, metadata, ...rest })) };
  }

  async #write(write: StorageWrite): Promise<StorageWrite> {
    const { encode } = write;
    const { storageApiVersion } = this.#converter;
    if (encode === undefined || storageApiVersion === this.#apiVersion) return write;
    const draft = decode(encode(0));
    delete draft.metadata.resourceVersion; // nobody knows it yet
    const { kind, apiVersion, metadata, ...rest } = await this.#converter.convert(draft, storageApiVersion);
    const stored: Draft = { kind, apiVersion, metadata, ...rest };
    return { ...write, encode: (revision) => encodeStored(stored, String(revision)) };
  }
}

/** What the server stores is an object with type and metadata. */
function decode(bytes: Uint8Array): Draft {
  return JSON.parse(decoder.decode(bytes)) as Draft;
}
