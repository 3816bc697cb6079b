import type { Taint, Toleration } from '@kubewright/apimachinery/core/v1';
import { describe, expect, it } from 'vitest';
import { evictionDelayMs } from './eviction-delay.ts';

const out: Taint = { key: 'out', effect: 'NoExecute', value: 'yes' };
const slow: Taint = { key: 'slow', effect: 'NoExecute' };
const full: Taint = { key: 'full', effect: 'NoSchedule' };
const forever: Toleration = { key: 'out', operator: 'Exists' };

describe('evictionDelayMs', () => {
  it.each<[string, readonly Taint[], readonly Toleration[], number]>([
    ['infinity without taints', [], [], Number.POSITIVE_INFINITY],
    ['infinity for a NoSchedule taint', [full], [], Number.POSITIVE_INFINITY],
    ['0 for an untolerated taint', [out], [], 0],
    ['infinity for a toleration without a limit', [out], [forever], Number.POSITIVE_INFINITY],
    ['infinity for a toleration of the same value', [out], [{ key: 'out', value: 'yes' }], Number.POSITIVE_INFINITY],
    ['0 for a toleration of another value', [out], [{ key: 'out', value: 'no' }], 0],
    ['0 for a toleration of another effect', [out], [{ ...forever, effect: 'NoSchedule' }], 0],
    ['infinity for a toleration of every taint', [out, slow], [{ operator: 'Exists' }], Number.POSITIVE_INFINITY],
    ['the limit of the toleration', [out], [{ ...forever, tolerationSeconds: 30 }], 30_000],
    ['0 for a negative limit', [out], [{ ...forever, tolerationSeconds: -1 }], 0],
    [
      'the shortest limit of several tolerations',
      [out, slow],
      [
        { ...forever, tolerationSeconds: 30 },
        { key: 'slow', operator: 'Exists', tolerationSeconds: 5 },
      ],
      5_000,
    ],
    ['0 if one of two taints is not tolerated', [out, slow], [forever], 0],
  ])('returns %s', (_name, taints, tolerations, expected) => {
    expect(evictionDelayMs(taints, tolerations)).toBe(expected);
  });
});
