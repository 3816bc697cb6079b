import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BinaryHeap } from './binary-heap.ts';

interface Item {
  readonly due: number;
  readonly order: number;
}

const isBefore = (a: Item, b: Item): boolean => a.due < b.due || (a.due === b.due && a.order < b.order);
const step = fc.oneof(
  { weight: 3, arbitrary: fc.record({ do: fc.constant('push' as const), due: fc.integer({ min: 0, max: 20 }) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('pop' as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constantFrom('keep even' as const, 'clear' as const) }) },
);

describe('BinaryHeap', () => {
  it('returns the same items as a list that is always sorted', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 80 }), (steps) => {
        const heap = new BinaryHeap<Item>(isBefore);
        let model: Item[] = [];
        for (const [order, each] of steps.entries()) {
          if (each.do === 'push') {
            heap.push({ due: each.due, order });
            model.push({ due: each.due, order });
            model.sort((a, b) => a.due - b.due || a.order - b.order);
          } else if (each.do === 'pop') expect(heap.pop()).toEqual(model.shift());
          else {
            model = each.do === 'clear' ? [] : model.filter(({ due }) => due % 2 === 0);
            if (each.do === 'clear') heap.clear();
            else heap.replace([...model].reverse());
          }
          expect(heap.size).toBe(model.length);
          expect(heap.first).toEqual(model[0]);
        }
      }),
      { numRuns: 500 },
    );
  });
});
