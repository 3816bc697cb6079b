import { Lease } from '@kubewright/apimachinery/coordination/v1';
import { describe, expect, it } from 'vitest';
import { expiryOf, leaseState, observeLease } from './lease-state.ts';

const lease = (holderIdentity: string, renewTime = '2026-01-01T00:00:00.000000Z') =>
  Lease({
    metadata: { name: 'shop-primary', namespace: 'default' },
    spec: { holderIdentity, leaseDurationSeconds: 15, renewTime },
  });

describe('the Lease of a primary', () => {
  it.each([
    ['never read', undefined, 0, { state: 'taken', holder: 'another instance' }],
    ['without a holder', lease(''), 0, { state: 'free' }],
    ['without a spec', Lease({ metadata: { name: 'shop-primary', namespace: 'default' } }), 0, { state: 'free' }],
    ['held by another instance', lease('shop-1'), 14_999, { state: 'taken', holder: 'shop-1' }],
    ['expired', lease('shop-1'), 15_000, { state: 'free' }],
    // Its own earlier process acquired it, and no longer runs.
    ['held by an earlier process of this instance', lease('shop-2'), 0, { state: 'free' }],
  ])('%s', (_, held, nowMs, state) => {
    const observed = held && observeLease(undefined, held, 0);
    expect(leaseState(observed, { name: 'shop-2', nowMs })).toEqual(state);
  });

  it('lasts longer when its holder renews it, and only then', () => {
    const first = observeLease(undefined, lease('shop-1'), 1_000);
    const again = observeLease(first, lease('shop-1'), 2_000);
    expect(expiryOf(again)).toBe(16_000);
    expect(expiryOf(observeLease(again, lease('shop-1', '2026-01-01T00:00:02.000000Z'), 3_000))).toBe(18_000);
  });
});
