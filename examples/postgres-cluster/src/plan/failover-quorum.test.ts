import { describe, expect, it } from 'vitest';
import { commitLossRisk } from './failover-quorum.ts';

describe('commitLossRisk', () => {
  it.each<[string, number, string[], string[], string | undefined]>([
    ['finds no risk if one of two replicas has each commit and both are present', 1, ['b', 'c'], ['b', 'c'], undefined],
    [
      'names the missing replica if one of two has each commit',
      1,
      ['b', 'c'],
      ['b'],
      'c is unavailable and may have commits that no other replica has, because only 1 of b, c had to confirm each commit; bring it back, or force a promotion if the primary is lost',
    ],
    ['finds no risk if both replicas have each commit and one is present', 2, ['b', 'c'], ['c'], undefined],
    [
      'ignores replicas outside the quorum',
      2,
      ['b', 'c', 'd'],
      ['b', 'e', 'f'],
      'c, d are unavailable and may have commits that no other replica has, because only 2 of b, c, d had to confirm each commit; bring them back, or force a promotion if the primary is lost',
    ],
    [
      'finds no risk if a quorum was larger than its replicas, because no commit was acknowledged',
      2,
      ['b'],
      [],
      undefined,
    ],
  ])('%s', (_, standbyNumber, standbyNames, present, risk) => {
    expect(commitLossRisk({ standbyNumber, standbyNames }, { present: new Set(present) })).toBe(risk);
  });
});
