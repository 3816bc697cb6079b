const smallestSlab = 128 * 1024;
const largestSlab = 1024 * 1024;

/** A block of memory outside the JavaScript heap that objects' bytes are appended to; never overwritten. */
export interface Slab {
  readonly bytes: Buffer;
  used: number;
  /** Bytes of objects that are still current. */
  live: number;
  /** Being emptied: its objects move elsewhere. */
  condemned: boolean;
}

/**
 * Appends bytes to slabs. Slabs are only ever appended to, so that a view of a replaced object stays readable; what is no
 * longer referenced is the garbage collector's.
 */
export class SlabAllocator {
  #current: Slab | undefined;
  readonly #slabs = new Set<Slab>();
  #live = 0;
  #size = 0;

  /** Bytes of current objects. */
  get live(): number {
    return this.#live;
  }

  /** Bytes held by slabs, the unused end of the newest one not counted. */
  get used(): number {
    return this.#size - (this.#current ? this.#current.bytes.length - this.#current.used : 0);
  }

  /** Makes room for `length` bytes and answers the slab; its `used` is where they go. */
  reserve(length: number): Slab {
    const current = this.#current;
    if (current && current.used + length <= current.bytes.length) return current;
    const shared = Math.min(largestSlab, Math.max(smallestSlab, this.#live / 16));
    // An object that is large beside a slab has one to itself: otherwise the unused ends would be a loss that lasts.
    const alone = length > shared / 16;
    const size = Math.ceil(alone ? length : shared);
    const slab: Slab = { bytes: pages(size), used: 0, live: 0, condemned: false };
    this.#slabs.add(slab);
    this.#size += size;
    if (alone) return slab;
    this.#current = slab;
    if (current && current.live === 0) this.#drop(current);
    return slab;
  }

  /** Counts bytes just written at the slab's `used`. */
  commit(slab: Slab, length: number): void {
    slab.used += length;
    slab.live += length;
    this.#live += length;
  }

  /** Counts an object out; an empty slab is let go. */
  release(slab: Slab, length: number): void {
    slab.live -= length;
    this.#live -= length;
    if (slab.live === 0 && slab !== this.#current) this.#drop(slab);
  }

  /** Marks the slabs with the most garbage until half of it is covered; answers whether there is anything to do. */
  condemn(): boolean {
    const candidates = [...this.#slabs].filter((slab) => slab !== this.#current && slab.live < slab.bytes.length);
    candidates.sort((a, b) => a.live / a.bytes.length - b.live / b.bytes.length);
    let wanted = (this.used - this.#live) / 2;
    let found = false;
    for (const slab of candidates) {
      if (wanted <= 0) break;
      wanted -= slab.bytes.length - slab.live;
      slab.condemned = true;
      found = true;
    }
    return found;
  }

  #drop(slab: Slab): void {
    if (this.#slabs.delete(slab)) this.#size -= slab.bytes.length;
  }
}

/**
 * Allocates memory that the system has back as soon as it is garbage. A resizable buffer has pages of its own; what V8 takes
 * from the C allocator stays there in pieces: after six rewrites of 20,000 objects 100 MB of them, instead of 40.
 */
function pages(size: number): Buffer {
  return Buffer.from(new ResizableBuffer(size, { maxByteLength: size }));
}

/** The compiler's library knows of ES2022; Node 20 and all later ones have it. */
const ResizableBuffer = ArrayBuffer as new (size: number, options: { readonly maxByteLength: number }) => ArrayBuffer;
