import type { Taint, Toleration } from '@kubewright/apimachinery/core/v1';
import { describe, expect, it } from 'vitest';
import { evictionDelayMs } from './eviction-delay.ts';

const out: Taint = { key: 'out', effect: 'NoExecute', value: 'yes' };
const slow: Taint = { key: 'slow', effect: 'NoExecute' };
const full: Taint = { key: 'full', effect: 'NoSchedule' };
const forever: Toleration = { key: 'out', operator: 'Exists' };

describe('evictionDelayMs', () => {
  it.each<[string, readonly Taint[], readonly Toleration[], number]>([
    ['no taints', [], [], Number.POSITIVE_INFINITY],
    ['taints that only keep new pods away', [full], [], Number.POSITIVE_INFINITY],
    ['not tolerated', [out], [], 0],
    ['tolerated forever', [out], [forever], Number.POSITIVE_INFINITY],
    ['tolerated by value', [out], [{ key: 'out', value: 'yes' }], Number.POSITIVE_INFINITY],
    ['another value', [out], [{ key: 'out', value: 'no' }], 0],
    ['another effect', [out], [{ ...forever, effect: 'NoSchedule' }], 0],
    ['everything tolerated', [out, slow], [{ operator: 'Exists' }], Number.POSITIVE_INFINITY],
    ['a limit', [out], [{ ...forever, tolerationSeconds: 30 }], 30_000],
    ['a negative limit', [out], [{ ...forever, tolerationSeconds: -1 }], 0],
    [
      'the shortest limit',
      [out, slow],
      [
        { ...forever, tolerationSeconds: 30 },
        { key: 'slow', operator: 'Exists', tolerationSeconds: 5 },
      ],
      5_000,
    ],
    ['one of two', [out, slow], [forever], 0],
  ])('%s', (_name, taints, tolerations, expected) => {
    expect(evictionDelayMs(taints, tolerations)).toBe(expected);
  });
});
