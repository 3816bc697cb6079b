import { apiVersionOf, type Kind, type KubernetesObject, type LabelSelector } from '@kubewright/apimachinery';
import { compareResourceVersions } from '@kubewright/apimachinery/internal';
import { MalformedJsonError, readInteger, readString } from '../scan/json-bytes.ts';
import { MetadataScan } from '../scan/metadata-scan.ts';
import type { IndexFunc } from './cached-kind.ts';
import { copyObject } from './copy-object.ts';
import { DecodedObjects } from './decoded-objects.ts';
import { Indexer } from './indexer.ts';
import { LabelIndex } from './label-index.ts';
import { SlabAllocator } from './slab.ts';
import { type EntryContext, StoreEntry } from './store-entry.ts';

export interface StoreOptions<T> {
  readonly kind: Kind<KubernetesObject>;
  /** Field managers whose managedFields entries are kept; all others are cut. */
  readonly ownManagers?: ReadonlySet<string> | undefined;
  readonly indexes?: Readonly<Record<string, IndexFunc<T>>> | undefined;
  readonly decoded?: DecodedObjects | undefined;
  /** True if the server sends `PartialObjectMetadata`; objects are then returned with their own kind. */
  readonly metadataOnly?: boolean | undefined;
  /** Called when an index function throws; the object is then missing from the index. */
  readonly onIndexError?: ((index: string, error: unknown) => void) | undefined;
}

/** The result of a change to the store. */
export interface StoreChange<T> {
  readonly old: StoreEntry<T> | undefined;
  /** The current entry; the same as `old` if the store already had this version or a newer version. */
  readonly entry: StoreEntry<T>;
  /** The version that was put, whether or not it was kept. */
  readonly version: string;
}

/**
 * Stores the newest known bytes of each object of one kind outside the JavaScript heap, with an index of their metadata. Only a
 * reflector writes to it; all reads are synchronous.
 */
export class Store<T> {
  readonly #context: EntryContext;
  readonly #ownManagers: ReadonlySet<string>;
  readonly #slabs = new SlabAllocator();
  readonly #namespaces = new Map<string, Map<string, StoreEntry<T>>>();
  readonly #sortedNames = new Map<string, readonly string[]>();
  readonly #scan = new MetadataScan();
  readonly #indexer: Indexer<T>;
  readonly #labels = new LabelIndex<T>();
  #sweep: Iterator<StoreEntry<T>> | undefined;
  #size = 0;
  #epoch = 0;
  #listing = false;
  /** Number of stored objects that the latest list contained. */
  #seen = 0;

  constructor(options: StoreOptions<T>) {
    const { kind, decoded = new DecodedObjects() } = options;
    this.#context = {
      apiVersion: apiVersionOf(kind),
      kind: kind.kind,
      decoded,
      retyped: options.metadataOnly === true,
    };
    this.#ownManagers = options.ownManagers ?? new Set();
    this.#indexer = new Indexer(options.indexes ?? {}, options.onIndexError ?? (() => {}));
  }

  get size(): number {
    return this.#size;
  }

  /** Bytes held outside the heap: `live` by current objects, `used` including garbage not yet reclaimed. */
  get memory(): { readonly live: number; readonly used: number } {
    return { live: this.#slabs.live, used: this.#slabs.used };
  }

  /** Starts a full list: objects put from now on are marked as seen. */
  beginListing(): void {
    this.#listing = true;
    this.#seen = 0;
    this.#epoch++;
  }

  /** Ends the list; removes and returns the objects that the list did not contain. */
  endListing(): readonly StoreEntry<T>[] {
    this.#listing = false;
    // Usually, and especially for a first list, there is nothing to remove.
    if (this.#seen === this.#size) return [];
    const gone: StoreEntry<T>[] = [];
    for (const entry of this.#all()) if (entry.epoch !== this.#epoch) gone.push(entry);
    for (const entry of gone) this.#remove(entry);
    return gone;
  }

  /**
   * Stores a copy of the object in `bytes[start, end)`. Outside a list, ignores versions older than the stored one, because some
   * servers repeat events.
   *
   * @throws MalformedJsonError (KW3010) when the object's metadata cannot be found.
   */
  put(bytes: Buffer, start: number, end: number): StoreChange<T> {
    const scan = this.#scan;
    scan.scan(bytes, start, end);
    if (scan.nameAt === 0) throw new MalformedJsonError(`the name of a ${this.#context.kind}`);
    const name = readString(bytes, start + scan.nameAt, start + scan.nameEnd);
    const namespace =
      scan.namespaceAt === 0 ? '' : readString(bytes, start + scan.namespaceAt, start + scan.namespaceEnd);
    const old = this.#namespaces.get(namespace)?.get(name);
    const version = this.#text(bytes, start + scan.resourceVersionAt, start + scan.resourceVersionEnd);
    const uid = this.#text(bytes, start + scan.uidAt, start + scan.uidEnd);
    if (old && ((old.uid === uid && version === old.resourceVersion && version !== '') || this.#isOld(version, old))) {
      this.#markSeen(old);
      return { old, entry: old, version };
    }
    const { slab, offset, length, shift } = copyObject(this.#slabs, { bytes, start, end, scan }, this.#ownManagers);
    const generation = readInteger(bytes, start + scan.generationAt, start + scan.generationEnd);
    // A replaced object's strings are shared with its successor.
    const entry = new StoreEntry<T>(this.#context, {
      namespace: old ? old.namespace : namespace,
      name: old ? old.name : name,
      uid: old && old.uid === uid ? old.uid : uid,
      resourceVersion: version,
      generation,
      slab,
      offset,
      length,
      shift,
      scan,
    });
    entry.epoch = old?.epoch ?? 0;
    this.#markSeen(entry);
    this.#insert(entry, old);
    this.#compactStep();
    return { old, entry, version };
  }

  /** Removes an object and returns it; undefined if it does not exist. */
  remove(namespace: string, name: string): StoreEntry<T> | undefined {
    const entry = this.get(namespace, name);
    if (entry) this.#remove(entry);
    return entry;
  }

  get(namespace: string, name: string): StoreEntry<T> | undefined {
    return this.#namespaces.get(namespace)?.get(name);
  }

  /** Returns the entries in order of namespace and name. */
  entries(namespace?: string): readonly StoreEntry<T>[] {
    if (namespace !== undefined) return this.#sorted(namespace);
    const namespaces = [...this.#namespaces.keys()].sort();
    if (namespaces.length === 1) return this.#sorted(namespaces[0]!);
    return namespaces.flatMap((each) => this.#sorted(each));
  }

  /** Returns the objects with the value in the index; undefined if there is no such index. */
  indexed(index: string, value: string): ReadonlySet<StoreEntry<T>> | undefined {
    return this.#indexer.get(index, value) as ReadonlySet<StoreEntry<T>> | undefined;
  }

  /** Returns an unordered superset of the matching objects; undefined if all objects must be scanned. */
  labeled(selector: LabelSelector): readonly StoreEntry<T>[] | undefined {
    const found = this.#labels.candidates(selector, { size: this.#size, all: () => this.#all() });
    return found as readonly StoreEntry<T>[] | undefined;
  }

  /** Adds indexes and fills them with the stored objects. */
  addIndexes(indexes: Readonly<Record<string, IndexFunc<T>>>): void {
    this.#indexer.extend(indexes, this.#all());
  }

  /** The indexer; it can also compute the index values of objects that are not stored. */
  get indexer(): Indexer<T> {
    return this.#indexer;
  }

  #sorted(namespace: string): readonly StoreEntry<T>[] {
    const entries = this.#namespaces.get(namespace);
    if (!entries) return [];
    let names = this.#sortedNames.get(namespace);
    if (!names) {
      names = [...entries.keys()].sort();
      this.#sortedNames.set(namespace, names);
    }
    return names.map((name) => entries.get(name)!);
  }

  #markSeen(entry: StoreEntry<T>): void {
    if (entry.epoch !== this.#epoch) this.#seen++;
    entry.epoch = this.#epoch;
  }

  /**
   * Reports whether the version comes from a watch, which only moves forward, and is older than the stored version. A
   * list is authoritative, even if its versions are older.
   */
  #isOld(version: string, present: StoreEntry<T>): boolean {
    return !this.#listing && (compareResourceVersions(version, present.resourceVersion) ?? 0) < 0;
  }

  #text(bytes: Buffer, at: number, end: number): string {
    return at === end ? '' : readString(bytes, at, end);
  }

  #insert(entry: StoreEntry<T>, old: StoreEntry<T> | undefined): void {
    const { namespace } = entry;
    let names = this.#namespaces.get(namespace);
    if (!names) {
      names = new Map();
      this.#namespaces.set(namespace, names);
    }
    names.set(entry.name, entry);
    if (old) this.#discard(old);
    else {
      this.#size++;
      this.#sortedNames.delete(namespace);
    }
    this.#indexer.add(entry);
    this.#labels.add(entry);
  }

  #remove(entry: StoreEntry<T>): void {
    const names = this.#namespaces.get(entry.namespace);
    names?.delete(entry.name);
    if (names?.size === 0) this.#namespaces.delete(entry.namespace);
    this.#sortedNames.delete(entry.namespace);
    this.#size--;
    if (entry.epoch === this.#epoch) this.#seen--;
    this.#discard(entry);
  }

  #discard(entry: StoreEntry<T>): void {
    this.#indexer.remove(entry);
    this.#labels.remove(entry);
    entry.discard();
    this.#slabs.release(entry.slab, entry.length);
  }

  /** Compacts a little after every write, so that garbage stays near one eighth and no single step takes long. */
  #compactStep(): void {
    if (!this.#sweep) {
      const { live, used } = this.#slabs;
      if (used - live < 128 * 1024 || (used - live) * 8 < live || !this.#slabs.condemn()) return;
      this.#sweep = this.#all();
    }
    let bytes = 0;
    for (let visited = 0; visited < 256 && bytes < 32 * 1024; visited++) {
      const next = this.#sweep.next();
      if (next.done) {
        this.#sweep = undefined;
        return;
      }
      if (next.value.slab.condemned) bytes += this.#move(next.value);
    }
  }

  #move(entry: StoreEntry<T>): number {
    const from = entry.slab;
    const to = this.#slabs.reserve(entry.length);
    const offset = to.used;
    from.bytes.copy(to.bytes, offset, entry.offset, entry.offset + entry.length);
    this.#slabs.commit(to, entry.length);
    entry.slab = to;
    entry.offset = offset;
    this.#slabs.release(from, entry.length);
    return entry.length;
  }

  *#all(): Generator<StoreEntry<T>, undefined> {
    for (const names of this.#namespaces.values()) yield* names.values();
    return undefined;
  }
}
