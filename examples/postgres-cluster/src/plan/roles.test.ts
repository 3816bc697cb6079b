import { describe, expect, it } from 'vitest';
import { roleOf } from './roles.ts';
import { cluster, primary, replica, stopped } from './testdata/observed.ts';

describe('roleOf', () => {
  it.each([
    ['the primary', primary('shop-1'), {}, 'primary'],
    ['a replica', replica('shop-2'), {}, 'replica'],
    ['a primary that is asked to stop', primary('shop-1'), { targetPrimary: '' }, undefined],
    ['a primary that hands over', primary('shop-1'), { targetPrimary: 'shop-2' }, undefined],
    ['an instance that becomes the primary', replica('shop-2'), { targetPrimary: 'shop-2' }, 'replica'],
    ['an instance that has just been promoted', primary('shop-2'), { targetPrimary: 'shop-2' }, undefined],
    [
      'a former primary that is back as a replica',
      replica('shop-1'),
      { targetPrimary: 'shop-2', currentPrimary: 'shop-2' },
      'replica',
    ],
    [
      'a former primary that still runs',
      primary('shop-1'),
      { targetPrimary: 'shop-2', currentPrimary: 'shop-2' },
      undefined,
    ],
    ['a fenced instance', stopped('shop-1'), { fenced: ['shop-1'] }, undefined],
  ])('%s', (_, instance, observed, role) => {
    expect(roleOf(instance, cluster(observed))).toBe(role);
  });
});
