import { getHeapStatistics } from 'node:v8';

/** The cache entry that a decoded object belongs to. */
export interface DecodedKey {
  /** True once the cache has replaced or removed this version; only handlers of the current event still read it. */
  readonly isDiscarded?: boolean;
  /** Link to the decoded object, set only by {@link DecodedObjects}; saves a lookup. Null after eviction. */
  decoded?: Decoded | null | undefined;
}

/** A decoded object, as a node of a linked list. */
export interface Decoded {
  readonly key: DecodedKey;
  value: unknown;
  readonly bytes: number;
  chain: Chain | undefined;
  before: Decoded | undefined;
  after: Decoded | undefined;
}

/** A linked list of decoded objects. */
class Chain {
  first: Decoded | undefined;
  bytes = 0;
  length = 0;
  #last: Decoded | undefined;

  append(decoded: Decoded): void {
    decoded.chain = this;
    decoded.before = this.#last;
    decoded.after = undefined;
    if (this.#last) this.#last.after = decoded;
    else this.first = decoded;
    this.#last = decoded;
    this.bytes += decoded.bytes;
    this.length++;
  }

  remove(decoded: Decoded): void {
    const { before, after, bytes } = decoded;
    if (before) before.after = after;
    else this.first = after;
    if (after) after.before = before;
    else this.#last = before;
    this.bytes -= bytes;
    this.length--;
    decoded.before = decoded.after = undefined;
  }
}

const defaultMaxBytes = 8 * 1024 * 1024;

/** Maximum number of discarded objects that are kept. */
const maxDiscarded = 16;

/** Share of the limit reserved for objects that were decoded once and not read since. */
const newPart = 1 / 16;

/**
 * Share of the heap limit, in bytes of JSON, for objects that had to be decoded again; they use about three times as
 * much heap. For example, 43 MB with the usual heap limit of 4 GB.
 */
const repeatedPart = 1 / 96;

/** Share of a user-defined limit that is reserved for objects that had to be decoded again. */
const repeatedShare = 1 / 2;

/**
 * Once this share is full, only one in this many objects that are decoded again replaces the least recently used
 * object.
 */
const replacedEvery = 16;

/**
 * A cache of decoded objects, bounded by the sum of their JSON bytes. Objects that were read again are kept longest;
 * others are kept while there is room. A scan over more objects than fit therefore evicts nothing that is in use, and
 * leaves only short-lived garbage. An object that is decoded again after it was evicted is kept in a second, larger
 * part, because it is likely to be read again; most versions of most objects are decoded only once. Only a few
 * discarded objects are kept, however often they were read, because each retains the whole slab that holds its bytes.
 */
export class DecodedObjects {
  readonly #maxBytes: number;
  /** Ordered by last use. */
  readonly #used = new Chain();
  /** Ordered by decoding. */
  readonly #new = new Chain();
  /** Objects that were decoded again after they had been evicted, ordered by last use. */
  readonly #repeated = new Chain();
  readonly #maxRepeatedBytes: number;
  /** True if objects that are decoded again count towards the limit; otherwise they have a separate limit. */
  readonly #isShared: boolean;
  #replaceable = 0;
  /** Discarded objects, in the order in which they were discarded or last decoded. */
  readonly #discarded = new Chain();

  /**
   * @param maxBytes - limit on the total JSON length of the kept objects; they use about three times as much heap.
   * @param maxRepeatedBytes - an additional limit for objects that are decoded again after they were evicted. By
   * default, these objects take at most half of `maxBytes` if it is given; otherwise, their additional limit is 1/96 of
   * the heap limit.
   */
  constructor(maxBytes?: number, maxRepeatedBytes?: number) {
    this.#isShared = maxBytes !== undefined && maxRepeatedBytes === undefined;
    this.#maxBytes = maxBytes ?? defaultMaxBytes;
    this.#maxRepeatedBytes =
      maxRepeatedBytes ?? (this.#isShared ? this.#maxBytes * repeatedShare : ofHeap(repeatedPart));
  }

  get bytes(): number {
    return this.#used.bytes + this.#new.bytes + this.#repeated.bytes;
  }

  get(entry: DecodedKey): unknown {
    const found = entry.decoded;
    if (found && !entry.isDiscarded) this.#use(found);
    return found?.value;
  }

  set(entry: DecodedKey, value: unknown, bytes: number): void {
    const isRepeated = entry.decoded === null;
    this.delete(entry);
    if (bytes > this.#maxBytes) return;
    const decoded: Decoded = { key: entry, value, bytes, chain: undefined, before: undefined, after: undefined };
    entry.decoded = decoded;
    if (entry.isDiscarded) {
      this.#keepDiscarded(decoded);
      return;
    }
    if (isRepeated && this.#hasRoom(bytes)) {
      this.#repeated.append(decoded);
      this.#shrink();
      return;
    }
    this.#new.append(decoded);
    while (this.#new.bytes > this.#maxBytes * newPart && this.#new.first !== decoded) this.#age(this.#new.first!);
    this.#shrink();
  }

  /** Moves an object to the discarded objects, which are evicted soon; handlers of its event may still read it. */
  discard({ decoded }: DecodedKey): void {
    if (!decoded) return;
    decoded.chain?.remove(decoded);
    this.#keepDiscarded(decoded);
  }

  delete(entry: DecodedKey): void {
    const { decoded } = entry;
    if (!decoded) return;
    decoded.chain?.remove(decoded);
    entry.decoded = undefined;
    // V8 learns that these records are long-lived and allocates them in the old generation. A dead record there would
    // keep its object alive through every scavenge; before this line was added, half of the decoded objects were
    // promoted and freed only by a full collection.
    decoded.value = undefined;
  }

  #keepDiscarded(decoded: Decoded): void {
    this.#discarded.append(decoded);
    if (this.#discarded.length > maxDiscarded) this.delete(this.#discarded.first!.key);
  }

  #use(decoded: Decoded): void {
    const { chain } = decoded;
    chain?.remove(decoded);
    if (chain === this.#repeated) {
      chain.append(decoded);
      return;
    }
    this.#used.append(decoded);
    this.#shrink();
  }

  /** Keeps the object if there is still room, otherwise evicts it. */
  #age(decoded: Decoded): void {
    if (this.#limitedBytes <= this.#maxBytes) this.#use(decoded);
    else this.#evict(decoded);
  }

  #shrink(): void {
    while (this.#limitedBytes > this.#maxBytes) {
      const last = this.#used.first ?? (this.#isShared ? this.#repeated.first : undefined);
      if (!last) return;
      this.#evict(last);
    }
  }

  get #limitedBytes(): number {
    return this.#used.bytes + this.#new.bytes + (this.#isShared ? this.#repeated.bytes : 0);
  }

  /**
   * Reports whether there is room for one more object that was decoded again. A scan over more of these objects than
   * fit must not replace all of them before they are read again.
   */
  #hasRoom(bytes: number): boolean {
    if (bytes > this.#maxRepeatedBytes) return false;
    const fits = (): boolean => this.#repeated.bytes + bytes <= this.#maxRepeatedBytes;
    if (!fits() && ++this.#replaceable % replacedEvery === 0) {
      while (!fits() && this.#repeated.first) this.#evict(this.#repeated.first);
    }
    return fits();
  }

  #evict({ key }: Decoded): void {
    this.delete(key);
    key.decoded = null;
  }
}

function ofHeap(part: number): number {
  return getHeapStatistics().heap_size_limit * part;
}
