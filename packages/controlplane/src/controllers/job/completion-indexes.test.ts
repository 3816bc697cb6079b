import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatIndexes, parseIndexes } from './completion-indexes.ts';

describe('completion indexes', () => {
  it('are written with ranges of three and more', () => {
    expect(formatIndexes([7, 1, 3, 4, 5])).toBe('1,3-5,7');
    expect(formatIndexes([1, 2])).toBe('1,2');
    expect(formatIndexes([])).toBe('');
  });

  it('are read back as they were written', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.nat(50)), (indexes) => {
        expect([...parseIndexes(formatIndexes(indexes), 51)].sort((a, b) => a - b)).toEqual(
          [...indexes].sort((a, b) => a - b),
        );
      }),
    );
  });

  it('leave out what is beyond the limit, however far, and what is no index', () => {
    expect([...parseIndexes('0,2-999999999,x,-1', 4)]).toEqual([0, 2, 3]);
    expect([...parseIndexes(undefined, 4)]).toEqual([]);
  });
});
