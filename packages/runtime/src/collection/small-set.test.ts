import { describe, expect, it } from 'vitest';
import { SmallSet } from './small-set.ts';

describe('SmallSet', () => {
  it('keeps its members in insertion order after deletions', () => {
    const few = new SmallSet<string>();
    for (const each of ['a', 'b', 'c', 'd']) few.add(each);
    few.delete('b');
    few.delete('not there');
    expect([[...few], few.size, few.find((each) => each > 'a')]).toEqual([['a', 'c', 'd'], 3, 'c']);
  });
});
