import { describe, expect, it } from 'vitest';
import { whyUncertain } from './failover-quorum.ts';

const loses = 'any choice could lose commits';

describe('whyUncertain', () => {
  it.each<[string, number, string[], string[], string | undefined]>([
    ['one of two has each commit, and both are here', 1, ['b', 'c'], ['b', 'c'], undefined],
    [
      'one of two has each commit, and one is missing',
      1,
      ['b', 'c'],
      ['b'],
      `c is missing, and commits needed only 1 of b, c: ${loses}`,
    ],
    ['both have each commit, and one is missing', 2, ['b', 'c'], ['c'], undefined],
    [
      'replicas outside the quorum do not count',
      2,
      ['b', 'c', 'd'],
      ['b', 'e', 'f'],
      `c, d are missing, and commits needed only 2 of b, c, d: ${loses}`,
    ],
    ['more are needed than exist, so no commit was acknowledged', 2, ['b'], [], undefined],
  ])('%s', (_, standbyNumber, standbyNames, present, why) => {
    expect(whyUncertain({ standbyNumber, standbyNames }, { present: new Set(present) })).toBe(why);
  });
});
