import type { KeyEntry, KeyVersion } from './key-entry.ts';
import type { StorageChange } from './storage.ts';

/** A change with what is needed to undo it and to forget it. */
export interface HistoryRecord {
  readonly change: StorageChange;
  readonly entry: KeyEntry;
  readonly version: KeyVersion;
  /** When it was made, by the monotonic clock, in milliseconds. */
  readonly atMs: number;
  /** What keeping it costs, in bytes. */
  readonly cost: number;
}

/** The last changes in order of their revisions, bounded in age and size. */
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

  /** When the oldest record was made; `undefined` when there is none. */
  get oldestAtMs(): number | undefined {
    return this.#records[this.#head]?.atMs;
  }

  add(record: HistoryRecord): void {
    this.#records.push(record);
    this.#bytes += record.cost;
  }

  /**
   * Takes away the changes of the oldest revision if they are too old or all is too large; a revision goes whole.
   * `undefined` when nothing has to go.
   */
  takeExpired(nowMs: number): readonly HistoryRecord[] | undefined {
    const oldest = this.#records[this.#head];
    if (!oldest || (this.#bytes <= this.#maxBytes && nowMs - oldest.atMs < this.#maxAgeMs)) return undefined;
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

  /** The changes below a prefix that are newer than a revision. */
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
