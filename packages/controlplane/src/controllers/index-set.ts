interface Interval {
  readonly first: number;
  last: number;
}

/**
 * An immutable set of completion indexes or ordinals, stored as ordered intervals. Memory and running time depend on the number
 * of intervals, not on the number of indexes, which users can make very large. Mirrors `orderedIntervals` of the Job controller
 * (1.36).
 */
export class IndexSet {
  static readonly empty: IndexSet = new IndexSet([]);

  /** Sorted intervals that do not overlap or touch. */
  readonly #intervals: readonly Readonly<Interval>[];
  /** The number of indexes in the set. */
  readonly size: number;

  private constructor(intervals: readonly Readonly<Interval>[]) {
    this.#intervals = intervals;
    this.size = intervals.reduce((sum, { first, last }) => sum + last - first + 1, 0);
  }

  /** Builds a set of the given indexes. */
  static of(indexes: Iterable<number>): IndexSet {
    return new IndexSet(merge([...indexes].map((index) => ({ first: index, last: index }))));
  }

  /** Parses the text form (`1,3-5,7`). Skips invalid parts, and indexes that are not below `limit`. */
  static parse(text: string | undefined, limit: number): IndexSet {
    const intervals: Interval[] = [];
    for (const part of (text ?? '').split(',')) {
      const match = /^(\d{1,10})(?:-(\d{1,10}))?$/.exec(part);
      if (!match) continue;
      const first = Number(match[1]);
      const last = Math.min(Number(match[2] ?? first), limit - 1);
      if (first <= last) intervals.push({ first, last });
    }
    return new IndexSet(merge(intervals));
  }

  has(index: number): boolean {
    let low = 0;
    let high = this.#intervals.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#intervals[middle]?.last ?? 0) >= index) high = middle;
      else low = middle + 1;
    }
    const found = this.#intervals[low];
    return found !== undefined && found.first <= index;
  }

  /** Returns the union of this set and another. */
  union(other: IndexSet): IndexSet {
    if (other.size === 0) return this;
    if (this.size === 0) return other;
    return new IndexSet(merge([...this.#intervals, ...other.#intervals]));
  }

  /** Returns the number of indexes that both sets contain. */
  sizeOfIntersection(other: IndexSet): number {
    let size = 0;
    let j = 0;
    for (const { first, last } of this.#intervals) {
      for (let theirs = other.#intervals[j]; theirs && theirs.first <= last; theirs = other.#intervals[j]) {
        size += Math.max(0, Math.min(last, theirs.last) - Math.max(first, theirs.first) + 1);
        if (theirs.last > last) break;
        j++;
      }
    }
    return size;
  }

  /** Returns up to `count` of the lowest indexes below `limit` that are not in this set. */
  firstAbsent({ count, limit }: { readonly count: number; readonly limit: number }): readonly number[] {
    const absent: number[] = [];
    let candidate = 0;
    for (const { first, last } of [...this.#intervals, { first: limit, last: limit }]) {
      for (; candidate < Math.min(first, limit) && absent.length < count; candidate++) absent.push(candidate);
      candidate = Math.max(candidate, last + 1);
    }
    return absent;
  }

  /** Returns the text form used in a job's status: `1,3-5,7`. Two consecutive indexes are not written as a range. */
  toString(): string {
    return this.#intervals
      .map(({ first, last }) => {
        if (first === last) return String(first);
        return last === first + 1 ? `${first},${last}` : `${first}-${last}`;
      })
      .join(',');
  }
}

function merge(intervals: readonly Readonly<Interval>[]): readonly Interval[] {
  const merged: Interval[] = [];
  for (const { first, last } of [...intervals].sort((a, b) => a.first - b.first)) {
    const before = merged.at(-1);
    if (before && first <= before.last + 1) before.last = Math.max(before.last, last);
    else merged.push({ first, last });
  }
  return merged;
}
