import type { KeyEntry, KeyVersion } from './key-entry.ts';
import type { StorageChange } from './storage.ts';

/** A change with the data needed to undo it and to compact it. */
export interface HistoryRecord {
  readonly change: StorageChange;
  readonly entry: KeyEntry;
  readonly version: KeyVersion;
  /** Time of the change by the monotonic clock, in milliseconds. */
  readonly atMs: number;
  /** Memory cost of keeping the record, in bytes. */
  readonly cost: number;
}

/** The most recent changes in revision order, bounded by age and size. */
export class ChangeHistory {
  readonly #maxAgeMs: number;
  readonly #maxBytes: number;
  #records: (HistoryRecord | undefined)[] = [];
  #head = 0;
  #bytes = 0;

  constructor(limits: { readonly maxAgeMs: number; readonly maxBytes: number }) {
    this.#maxAgeMs = limits.maxAgeMs;
    this.#maxBytes = limits.maxBytes;
  }

  /** Time of the oldest record; `undefined` if the history is empty. */
  get oldestAtMs(): number | undefined {
    return this.#records[this.#head]?.atMs;
  }

  add(record: HistoryRecord): void {
    this.#records.push(record);
    this.#bytes += record.cost;
  }

  /**
   * Removes and returns the changes of the oldest revision if they are too old or the history is too large. A revision is always
   * removed as a whole. Returns `undefined` if nothing has expired.
   */
  takeExpired(nowMs: number): readonly HistoryRecord[] | undefined {
    const oldest = this.#records[this.#head];
    if (!oldest || (this.#bytes <= this.#maxBytes && nowMs - oldest.atMs < this.#maxAgeMs)) return undefined;
    return this.takeOldest();
  }

  /** Removes and returns the changes of the oldest revision; `undefined` if the history is empty. */
  takeOldest(): readonly HistoryRecord[] | undefined {
    const oldest = this.#records[this.#head];
    if (!oldest) return undefined;
    const taken: HistoryRecord[] = [];
    for (let next: HistoryRecord | undefined = oldest; next?.change.revision === oldest.change.revision; ) {
      taken.push(next);
      this.#bytes -= next.cost;
      this.#records[this.#head++] = undefined;
      next = this.#records[this.#head];
    }
    if (this.#head > 1024 && this.#head * 2 > this.#records.length) {
      this.#records = this.#records.slice(this.#head);
      this.#head = 0;
    }
    return taken;
  }

  /** Returns the changes under a prefix that are newer than a revision. */
  since(prefix: string, revision: number): StorageChange[] {
    const changes: StorageChange[] = [];
    for (let i = this.#firstAfter(revision); i < this.#records.length; i++) {
      const change = this.#records[i]?.change;
      if (change?.key.startsWith(prefix)) changes.push(change);
    }
    return changes;
  }

  #firstAfter(revision: number): number {
    let low = this.#head;
    let high = this.#records.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#records[middle]?.change.revision ?? 0) <= revision) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
