import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { IndexSet } from './index-set.ts';

const indexes = fc.uniqueArray(fc.nat(50));
const all = { count: 100, limit: 51 };
/** Returns the indexes below 51 that a set contains. */
const listed = (set: IndexSet): readonly number[] => Array.from({ length: 51 }, (_, i) => i).filter((i) => set.has(i));
const sorted = (of: Iterable<number>): readonly number[] => [...of].sort((a, b) => a - b);

describe('IndexSet', () => {
  it('formats three or more consecutive indexes as a range', () => {
    expect(IndexSet.of([7, 1, 3, 4, 5]).toString()).toBe('1,3-5,7');
    expect(IndexSet.of([1, 2]).toString()).toBe('1,2');
    expect(IndexSet.empty.toString()).toBe('');
  });

  it('round-trips through its text form', () => {
    fc.assert(
      fc.property(indexes, (of) => {
        expect(listed(IndexSet.parse(IndexSet.of(of).toString(), 51))).toEqual(sorted(of));
      }),
    );
  });

  it('skips indexes beyond the limit and invalid parts', () => {
    expect(IndexSet.parse('0,2-999999999,x,-1', 4).toString()).toBe('0,2,3');
    expect(IndexSet.parse(undefined, 4).size).toBe(0);
  });

  it('computes the same unions, intersections, sizes and absent indexes as a plain set', () => {
    fc.assert(
      fc.property(indexes, indexes, (a, b) => {
        const [left, right] = [IndexSet.of(a), IndexSet.of(b)];
        const union = new Set([...a, ...b]);
        expect(listed(left.union(right))).toEqual(sorted(union));
        expect(left.union(right).size).toBe(union.size);
        expect(left.sizeOfIntersection(right)).toBe(a.filter((index) => b.includes(index)).length);
        const absent = Array.from({ length: 51 }, (_, i) => i).filter((i) => !a.includes(i));
        expect(left.firstAbsent(all)).toEqual(absent);
        expect(left.firstAbsent({ count: 3, limit: 51 })).toEqual(absent.slice(0, 3));
      }),
    );
  });

  it('stores two billion indexes as intervals', () => {
    const most = IndexSet.parse('0-1999999989,1999999991-1999999999', 2_000_000_000);
    expect(most.size).toBe(1_999_999_999);
    expect(most.has(1_234_567_890)).toBe(true);
    expect(most.firstAbsent({ count: 500, limit: 2_000_000_000 })).toEqual([1_999_999_990]);
    expect(most.union(IndexSet.of([1_999_999_990])).toString()).toBe('0-1999999999');
    expect(IndexSet.parse('0-9999999999', 2_000_000_000).size).toBe(2_000_000_000);
  });
});
