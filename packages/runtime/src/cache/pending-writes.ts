import { compareResourceVersions, type ObjectKey } from '@kubewright/apimachinery';
import type { ObjectView } from '../handler/object-view.ts';
import { BinaryHeap } from '../workqueue/binary-heap.ts';

/** A write that the watch has not come past. */
export interface PendingWrite {
  readonly key: ObjectKey;
  readonly uid: string;
  readonly resourceVersion: string;
  /** False for what the watch has no need to show: then only a bookmark, or a write of another, comes past it. */
  readonly inScope: boolean;
  readonly atMs: number;
  readonly untilMs: number;
}

interface Entry extends PendingWrite {
  readonly id: string;
}

/** Most objects that are kept as they were written; then the oldest tenth is released, and only its versions are kept. */
const maxViews = 10_000;
/** Most writes that are remembered; then the oldest tenth is forgotten. */
const maxWrites = 100_000;

/**
 * Writes by key, and by version: a watch that comes past some of them costs no look at the others. Bounded, however far
 * a watch lags: the content of the latest 10,000 objects is kept, and of the latest 100,000 writes that they were made.
 */
export class PendingWrites<T> {
  readonly #entries = new Map<string, Entry>();
  readonly #views = new Map<string, ObjectView<T>>();
  /** Ids of objects that are there and whose views are not kept. */
  readonly #released = new Set<string>();
  /** Entries that left `#entries` are husks, in both heaps. */
  readonly #lowest = new BinaryHeap<Entry>((a, b) => order(a, b) < 0);
  readonly #highestInScope = new BinaryHeap<Entry>((a, b) => order(a, b) > 0);

  get size(): number {
    return this.#entries.size;
  }

  get(id: string): PendingWrite | undefined {
    return this.#entries.get(id);
  }

  /** Puts a write last, with the object as it is since, if it is there. */
  set(id: string, write: PendingWrite, view: ObjectView<T> | undefined): void {
    this.delete(id);
    const entry: Entry = { ...write, id };
    this.#entries.set(id, entry);
    if (view) this.#views.set(id, view);
    this.#lowest.push(entry);
    if (entry.inScope) this.#highestInScope.push(entry);
    // Many at a time: a look for the first steps over all that was deleted before it.
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

  /** All, in the order in which they were put. */
  all(): Iterable<readonly [id: string, write: PendingWrite]> {
    return this.#entries;
  }

  view(id: string): ObjectView<T> | undefined {
    return this.#views.get(id);
  }

  views(): Iterable<ObjectView<T>> {
    return this.#views.values();
  }

  /** Returns true if the object of a write is there and its content is no longer kept. */
  isReleased(id: string): boolean {
    return this.#released.has(id);
  }

  /** Keys of the objects whose content is no longer kept. */
  released(): readonly ObjectKey[] {
    return [...this.#released].flatMap((id) => this.#entries.get(id)?.key ?? []);
  }

  /** The newest version of an object in the scope. */
  get newestInScope(): string | undefined {
    return this.#first(this.#highestInScope)?.resourceVersion;
  }

  /** Drops the writes that were come past, the oldest version first, up to one that was not. */
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

/** Versions without an order are not put in here. */
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
