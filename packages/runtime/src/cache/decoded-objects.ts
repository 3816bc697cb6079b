/** What a decoded object belongs to. */
export interface DecodedKey {
  /** Whether the cache holds another version by now, or none: whoever was told of it still looks at it, and then nobody. */
  readonly isDiscarded?: boolean;
}

/** What is kept of one object. */
interface Decoded {
  readonly value: unknown;
  readonly bytes: number;
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
  readonly #used = new Map<DecodedKey, Decoded>();
  /** In order of decoding. */
  readonly #new = new Map<DecodedKey, Decoded>();
  /** In order of decoding, or of being discarded. */
  readonly #discarded = new Map<DecodedKey, unknown>();
  #usedBytes = 0;
  #newBytes = 0;

  /** @param maxBytes - sum of the kept objects' JSON lengths; their heap is about three times that. */
  constructor(maxBytes: number = 8 * 1024 * 1024) {
    this.#maxBytes = maxBytes;
  }

  get bytes(): number {
    return this.#usedBytes + this.#newBytes;
  }

  get(entry: DecodedKey): unknown {
    if (entry.isDiscarded) return this.#discarded.get(entry);
    const used = this.#used.get(entry);
    if (used) {
      this.#used.delete(entry);
      this.#used.set(entry, used);
      return used.value;
    }
    const found = this.#new.get(entry);
    if (!found) return undefined;
    this.delete(entry);
    this.#use(entry, found);
    return found.value;
  }

  set(entry: DecodedKey, value: unknown, bytes: number): void {
    this.delete(entry);
    if (bytes > this.#maxBytes) return;
    if (entry.isDiscarded) {
      this.#keepDiscarded(entry, value);
      return;
    }
    this.#new.set(entry, { value, bytes });
    this.#newBytes += bytes;
    for (const [oldest, decoded] of this.#new) {
      if (this.#newBytes <= this.#maxBytes * newPart || oldest === entry) break;
      this.delete(oldest);
      if (this.bytes + decoded.bytes <= this.#maxBytes) this.#use(oldest, decoded);
    }
    this.#shrink();
  }

  /** Lets an object go soon that was just discarded; those who are told of it may still want it. */
  discard(entry: DecodedKey): void {
    const kept = this.#used.get(entry) ?? this.#new.get(entry);
    if (!kept) return;
    this.delete(entry);
    this.#keepDiscarded(entry, kept.value);
  }

  delete(entry: DecodedKey): void {
    const used = this.#used.get(entry);
    if (used) {
      this.#used.delete(entry);
      this.#usedBytes -= used.bytes;
      return;
    }
    const found = this.#new.get(entry);
    if (!found) return;
    this.#new.delete(entry);
    this.#newBytes -= found.bytes;
  }

  #keepDiscarded(entry: DecodedKey, value: unknown): void {
    this.#discarded.set(entry, value);
    if (this.#discarded.size <= maxDiscarded) return;
    const [oldest] = this.#discarded.keys();
    if (oldest) this.#discarded.delete(oldest);
  }

  #use(entry: DecodedKey, decoded: Decoded): void {
    this.#used.set(entry, decoded);
    this.#usedBytes += decoded.bytes;
    this.#shrink();
  }

  #shrink(): void {
    for (const oldest of this.#used.keys()) {
      if (this.bytes <= this.#maxBytes) break;
      this.delete(oldest);
    }
  }
}
