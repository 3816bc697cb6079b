import type { ObjectKey } from '@kubewright/apimachinery';
import { compareResourceVersions } from '@kubewright/apimachinery/internal';
import type { ObjectView } from '../handler/object-view.ts';
import { BinaryHeap } from '../workqueue/binary-heap.ts';

/** A write that the watch has not passed yet. */
export interface PendingWrite {
  readonly key: ObjectKey;
  readonly uid: string;
  readonly resourceVersion: string;
  /**
   * False if the watch may never show the write; the watch then passes it only with a bookmark or a change to another
   * object.
   */
  readonly inScope: boolean;
  readonly atMs: number;
  readonly untilMs: number;
}

interface Entry extends PendingWrite {
  readonly id: string;
}

/**
 * Maximum number of written objects whose content is kept; beyond this number, the oldest tenth is released and only
 * its versions are kept.
 */
const maxViews = 10_000;
/** Maximum number of writes that are remembered; beyond this number, the oldest tenth is dropped. */
const maxWrites = 100_000;

/**
 * Pending writes by key and by version, so that only the writes that a watch has passed are visited. Memory is bounded no matter
 * how far a watch lags: it keeps the content of the latest 10,000 objects, and the versions of the latest 100,000 writes.
 */
export class PendingWrites<T> {
  readonly #entries = new Map<string, Entry>();
  readonly #views = new Map<string, ObjectView<T>>();
  /** Ids of objects that exist but whose views are not kept. */
  readonly #released = new Set<string>();
  /** Both heaps may contain stale entries: entries that are no longer in `#entries`. */
  readonly #lowest = new BinaryHeap<Entry>((a, b) => order(a, b) < 0);
  readonly #highestInScope = new BinaryHeap<Entry>((a, b) => order(a, b) > 0);

  get size(): number {
    return this.#entries.size;
  }

  get(id: string): PendingWrite | undefined {
    return this.#entries.get(id);
  }

  /** Adds a write as the newest write, with the resulting object if it exists. */
  set(id: string, write: PendingWrite, view: ObjectView<T> | undefined): void {
    this.delete(id);
    const entry: Entry = { ...write, id };
    this.#entries.set(id, entry);
    if (view) this.#views.set(id, view);
    this.#lowest.push(entry);
    if (entry.inScope) this.#highestInScope.push(entry);
    // Drops many writes at a time, because finding the first key of a Map steps over all keys deleted before it.
    if (this.#views.size > maxViews) for (const oldest of first(this.#views, maxViews / 10)) this.#release(oldest);
    if (this.#entries.size > maxWrites) for (const oldest of first(this.#entries, maxWrites / 10)) this.delete(oldest);
    for (const heap of [this.#lowest, this.#highestInScope]) {
      if (heap.size > 64 && heap.size > 2 * this.#entries.size) this.#rebuild();
    }
  }

  delete(id: string): void {
    this.#entries.delete(id);
    this.#views.delete(id);
    this.#released.delete(id);
  }

  clear(): void {
    this.#entries.clear();
    this.#views.clear();
    this.#released.clear();
    this.#lowest.clear();
    this.#highestInScope.clear();
  }

  /** Iterates over all writes in insertion order. */
  all(): Iterable<readonly [id: string, write: PendingWrite]> {
    return this.#entries;
  }

  view(id: string): ObjectView<T> | undefined {
    return this.#views.get(id);
  }

  views(): Iterable<ObjectView<T>> {
    return this.#views.values();
  }

  /** Reports whether the written object exists but its content is no longer kept. */
  isReleased(id: string): boolean {
    return this.#released.has(id);
  }

  /** Returns the keys of the objects whose content is no longer kept. */
  released(): readonly ObjectKey[] {
    return [...this.#released].flatMap((id) => this.#entries.get(id)?.key ?? []);
  }

  /** The newest written version of an object in scope. */
  get newestInScope(): string | undefined {
    return this.#first(this.#highestInScope)?.resourceVersion;
  }

  /** Drops writes in version order, up to the first write that the watch has not passed. */
  drop(isPast: (resourceVersion: string) => boolean): void {
    for (let first = this.#first(this.#lowest); first; first = this.#first(this.#lowest)) {
      if (!isPast(first.resourceVersion)) return;
      this.delete(first.id);
    }
  }

  #first(heap: BinaryHeap<Entry>): Entry | undefined {
    for (let first = heap.first; first; first = heap.first) {
      if (this.#entries.get(first.id) === first) return first;
      heap.pop();
    }
    return undefined;
  }

  #release(id: string): void {
    this.#views.delete(id);
    this.#released.add(id);
  }

  #rebuild(): void {
    this.#lowest.replace(this.#entries.values());
    this.#highestInScope.replace([...this.#entries.values()].filter(({ inScope }) => inScope));
  }
}

/** Compares by version; writes whose versions have no order are never pending. */
function order(a: PendingWrite, b: PendingWrite): number {
  return compareResourceVersions(a.resourceVersion, b.resourceVersion) ?? 0;
}

function first(map: Map<string, unknown>, count: number): readonly string[] {
  const keys: string[] = [];
  for (const key of map.keys()) {
    if (keys.length >= count) break;
    keys.push(key);
  }
  return keys;
}
