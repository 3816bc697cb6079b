/** What a decoded object belongs to. */
export interface DecodedKey {
  /** Whether the cache holds another version by now, or none: whoever was told of it still looks at it, and then nobody. */
  readonly isDiscarded?: boolean;
  /** Where its decoded object is, written by {@link DecodedObjects} alone: so nothing is looked up. */
  decoded?: Decoded | undefined;
}

/** What is kept of one object, between what was put before and after it. */
export interface Decoded {
  readonly key: DecodedKey;
  value: unknown;
  readonly bytes: number;
  chain: Chain | undefined;
  before: Decoded | undefined;
  after: Decoded | undefined;
}

/** Decoded objects in an order. */
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

/** How many discarded objects are kept. */
const maxDiscarded = 16;

/** Of all that is kept, this part is for objects that were decoded once and not asked for since. */
const newPart = 1 / 16;

/**
 * Keeps objects that were decoded, up to a sum of JSON bytes: those asked for again longest, then as many of the others as
 * there is room for. Whoever walks over more objects than fit so pushes out none that are in use, and leaves garbage that
 * dies young. Of what was discarded a few are kept, however often they were asked for: each keeps not only itself but the slab
 * that its bytes are in.
 */
export class DecodedObjects {
  readonly #maxBytes: number;
  /** In order of use. */
  readonly #used = new Chain();
  /** In order of decoding. */
  readonly #new = new Chain();
  /** In order of decoding, or of being discarded. */
  readonly #discarded = new Chain();

  /** @param maxBytes - sum of the kept objects' JSON lengths; their heap is about three times that. */
  constructor(maxBytes: number = 8 * 1024 * 1024) {
    this.#maxBytes = maxBytes;
  }

  get bytes(): number {
    return this.#used.bytes + this.#new.bytes;
  }

  get(entry: DecodedKey): unknown {
    const found = entry.decoded;
    if (found && !entry.isDiscarded) this.#use(found);
    return found?.value;
  }

  set(entry: DecodedKey, value: unknown, bytes: number): void {
    this.delete(entry);
    if (bytes > this.#maxBytes) return;
    const decoded: Decoded = { key: entry, value, bytes, chain: undefined, before: undefined, after: undefined };
    entry.decoded = decoded;
    if (entry.isDiscarded) {
      this.#keepDiscarded(decoded);
      return;
    }
    this.#new.append(decoded);
    while (this.#new.bytes > this.#maxBytes * newPart && this.#new.first !== decoded) this.#age(this.#new.first!);
    this.#shrink();
  }

  /** Lets an object go soon that was just discarded; those who are told of it may still want it. */
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
    // V8 learns that these records live long and makes them old at once. A dead one that is old would keep its object alive
    // through all scavenges: half of what was decoded was copied and promoted, to be collected with everything else.
    decoded.value = undefined;
  }

  #keepDiscarded(decoded: Decoded): void {
    this.#discarded.append(decoded);
    if (this.#discarded.length > maxDiscarded) this.delete(this.#discarded.first!.key);
  }

  #use(decoded: Decoded): void {
    decoded.chain?.remove(decoded);
    this.#used.append(decoded);
    this.#shrink();
  }

  /** It stays if there is room even so. */
  #age(decoded: Decoded): void {
    if (this.bytes <= this.#maxBytes) this.#use(decoded);
    else this.delete(decoded.key);
  }

  #shrink(): void {
    while (this.bytes > this.#maxBytes && this.#used.first) this.delete(this.#used.first.key);
  }
}
