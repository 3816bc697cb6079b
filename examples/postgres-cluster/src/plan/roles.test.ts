import { describe, expect, it } from 'vitest';
import { roleOf } from './roles.ts';
import { cluster, primary, replica, stopped } from './testdata/observed.ts';

describe('roleOf', () => {
  it.each([
    ['labels the primary as the primary', primary('shop-1'), {}, 'primary'],
    ['labels a replica as a replica', replica('shop-2'), {}, 'replica'],
    ['removes the label of a primary that is asked to stop', primary('shop-1'), { targetPrimary: '' }, undefined],
    [
      'removes the label of a primary that hands over to another instance',
      primary('shop-1'),
      { targetPrimary: 'shop-2' },
      undefined,
    ],
    [
      'labels an instance as a replica until it has been promoted',
      replica('shop-2'),
      { targetPrimary: 'shop-2' },
      'replica',
    ],
    [
      'does not label a promoted instance until it is the current primary',
      primary('shop-2'),
      { targetPrimary: 'shop-2' },
      undefined,
    ],
    [
      'labels a former primary as a replica once it runs as a standby',
      replica('shop-1'),
      { targetPrimary: 'shop-2', currentPrimary: 'shop-2' },
      'replica',
    ],
    [
      'does not label a former primary that still runs as a primary',
      primary('shop-1'),
      { targetPrimary: 'shop-2', currentPrimary: 'shop-2' },
      undefined,
    ],
    ['does not label a fenced instance', stopped('shop-1'), { fenced: ['shop-1'] }, undefined],
  ])('%s', (_, instance, observed, role) => {
    expect(roleOf(instance, cluster(observed))).toBe(role);
  });
});
