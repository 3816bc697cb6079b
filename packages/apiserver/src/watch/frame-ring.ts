/** An event, ready to send. */
export interface RingEntry {
  readonly frame: Uint8Array;
  readonly revision: number;
  /** The frame to send instead if this is the first event of a stream. */
  readonly firstFrame: (() => Uint8Array) | undefined;
}

/** Consecutive frames of a stream, and the position after them. */
export interface RingSlice {
  readonly bytes: Uint8Array;
  readonly next: number;
}

/**
 * The latest events of one class of watchers, numbered. Watchers hold a position, not a queue; a watcher that is too slow falls
 * behind the ring.
 */
export class FrameRing {
  readonly #maxBytes: number;
  /** The entries, after `#dropped` empty places. */
  #places: (RingEntry | undefined)[] = [];
  #dropped = 0;
  #start = 0;
  #bytes = 0;
  #droppedRevision = 0;
  /** Slices up to the current end, by start: watchers that keep up all need the same one. */
  readonly #slices = new Map<number, RingSlice>();

  constructor(limits: { readonly maxBytes: number }) {
    this.#maxBytes = limits.maxBytes;
  }

  /** The position of the oldest entry. */
  get start(): number {
    return this.#start;
  }

  /** The position after the newest entry. */
  get end(): number {
    return this.#start + this.#length;
  }

  /** The size of all entries. */
  get bytes(): number {
    return this.#bytes;
  }

  /** The revision of the newest dropped entry. */
  get droppedRevision(): number {
    return this.#droppedRevision;
  }

  /** True if entries that every watcher has read should be dropped. */
  get isFilling(): boolean {
    return this.#bytes * 4 > this.#maxBytes || this.#length > 1024;
  }

  at(position: number): RingEntry | undefined {
    return position < this.#start ? undefined : this.#places[this.#dropped + position - this.#start];
  }

  append(entry: RingEntry): void {
    this.#slices.clear();
    this.#places.push(entry);
    this.#bytes += entry.frame.length;
    while (this.#bytes > this.#maxBytes && this.#length > 1) this.#drop();
  }

  /** Drops the entries before a position. */
  dropBefore(position: number): void {
    if (position <= this.#start) return;
    while (this.#start < position && this.#length > 0) this.#drop();
    this.#slices.clear();
  }

  /** Returns the frames from a position on, as one chunk of at most about `maxBytes`. */
  slice(position: number, maxBytes: number): RingSlice {
    const known = this.#slices.get(position);
    if (known) return known;
    const frames: Uint8Array[] = [];
    let length = 0;
    let next = position;
    for (let entry = this.at(next); entry && (length === 0 || length + entry.frame.length <= maxBytes); ) {
      frames.push(entry.frame);
      length += entry.frame.length;
      entry = this.at(++next);
    }
    const bytes = frames.length === 1 ? (frames[0] as Uint8Array) : Buffer.concat(frames, length);
    const slice: RingSlice = { bytes, next };
    this.#slices.set(position, slice);
    return slice;
  }

  get #length(): number {
    return this.#places.length - this.#dropped;
  }

  /** Drops the oldest entry. Removes empty places only once they are half of all, because that copies the others. */
  #drop(): void {
    const oldest = this.#places[this.#dropped];
    this.#places[this.#dropped++] = undefined;
    this.#start++;
    this.#bytes -= oldest?.frame.length ?? 0;
    this.#droppedRevision = oldest?.revision ?? this.#droppedRevision;
    if (this.#dropped * 2 < this.#places.length) return;
    this.#places = this.#places.slice(this.#dropped);
    this.#dropped = 0;
  }
}
