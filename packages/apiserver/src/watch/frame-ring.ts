/** An event, ready to send. */
export interface RingEntry {
  readonly frame: Uint8Array;
  readonly revision: number;
  /** Returns the frame to send instead if this is the first event of a stream; undefined if that frame is the same. */
  readonly firstFrame: (() => Uint8Array) | undefined;
}

/** Consecutive frames of a stream, and the position after them. */
export interface RingSlice {
  readonly bytes: Uint8Array;
  readonly next: number;
}

/**
 * The latest events of one class of watchers, by position. A watcher has a position instead of a queue; if the watcher
 * is too slow, the ring drops events that the watcher has not read.
 */
export class FrameRing {
  readonly #maxBytes: number;
  /** The entries, preceded by `#dropped` empty slots. */
  #slots: (RingEntry | undefined)[] = [];
  #dropped = 0;
  #start = 0;
  #bytes = 0;
  #droppedRevision = 0;
  /** Cached slices by start position: watchers that keep up all read the same slice. */
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

  /** The size of all entries, in bytes. */
  get bytes(): number {
    return this.#bytes;
  }

  /** The revision of the newest dropped entry. */
  get droppedRevision(): number {
    return this.#droppedRevision;
  }

  /** True if it is time to drop the entries that every watcher has read. */
  get isFilling(): boolean {
    return this.#bytes * 4 > this.#maxBytes || this.#length > 1024;
  }

  at(position: number): RingEntry | undefined {
    return position < this.#start ? undefined : this.#slots[this.#dropped + position - this.#start];
  }

  append(entry: RingEntry): void {
    this.#slices.clear();
    this.#slots.push(entry);
    this.#bytes += entry.frame.length;
    while (this.#bytes > this.#maxBytes && this.#length > 1) this.#drop();
  }

  /** Drops the entries before a position. */
  dropBefore(position: number): void {
    if (position <= this.#start) return;
    while (this.#start < position && this.#length > 0) this.#drop();
    this.#slices.clear();
  }

  /**
   * Returns the frames from a position on, as one chunk of at most `maxBytes`. If the first frame is larger, returns
   * only that frame.
   */
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
    return this.#slots.length - this.#dropped;
  }

  /**
   * Drops the oldest entry. Removes the empty slots only when they are half of the array, because removing them copies
   * the rest.
   */
  #drop(): void {
    const oldest = this.#slots[this.#dropped];
    this.#slots[this.#dropped++] = undefined;
    this.#start++;
    this.#bytes -= oldest?.frame.length ?? 0;
    this.#droppedRevision = oldest?.revision ?? this.#droppedRevision;
    if (this.#dropped * 2 < this.#slots.length) return;
    this.#slots = this.#slots.slice(this.#dropped);
    this.#dropped = 0;
  }
}
