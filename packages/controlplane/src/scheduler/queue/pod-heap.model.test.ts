import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PodHeap } from './pod-heap.ts';

interface Item {
  rank: number;
}

describe('PodHeap', () => {
  it('pops items in order after any sequence of additions, changes and removals', () => {
    const step = fc.record({
      what: fc.constantFrom('add', 'change', 'delete', 'pop'),
      which: fc.nat(20),
      rank: fc.nat(50),
    });
    fc.assert(
      fc.property(fc.array(step), (steps) => {
        const heap = new PodHeap<Item>((a, b) => a.rank < b.rank);
        const items: Item[] = Array.from({ length: 21 }, (_, rank) => ({ rank }));
        const present = new Set<Item>();
        const least = () => Math.min(...[...present].map(({ rank }) => rank));
        for (const { what, which, rank } of steps) {
          const item = items[which] as Item;
          if (what === 'add') {
            heap.add(item);
            present.add(item);
          } else if (what === 'change') {
            item.rank = rank;
            heap.moved(item);
          } else if (what === 'delete') expect(heap.delete(item)).toBe(present.delete(item));
          else if (present.size > 0) {
            const lowest = least();
            const popped = heap.pop() as Item;
            expect(popped.rank).toBe(lowest);
            expect(present.delete(popped)).toBe(true);
          } else expect(heap.pop()).toBeUndefined();
          expect(heap.size).toBe(present.size);
        }
      }),
    );
  });
});
