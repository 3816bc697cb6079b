import { Lease } from '@kubewright/apimachinery/coordination/v1';
import { describe, expect, it } from 'vitest';
import { expiryOf, leaseState, observeLease, podAnnotation } from './lease-state.ts';

const lease = (holderIdentity: string, renewTime = '2026-01-01T00:00:00.000000Z', pod = '2') =>
  Lease({
    metadata: { name: 'shop-primary', namespace: 'default', annotations: { [podAnnotation]: pod } },
    spec: { holderIdentity, leaseDurationSeconds: 15, renewTime },
  });

describe('the Lease of a primary', () => {
  it.each([
    ['is taken until it has been read', undefined, 0, { state: 'taken', holder: 'another instance' }],
    ['is free without a holder', lease(''), 0, { state: 'free' }],
    [
      'is free without a spec',
      Lease({ metadata: { name: 'shop-primary', namespace: 'default' } }),
      0,
      { state: 'free' },
    ],
    ['is taken while another instance holds it', lease('shop-1'), 14_999, { state: 'taken', holder: 'shop-1' }],
    ['is free once it has expired', lease('shop-1'), 15_000, { state: 'free' }],
    // The earlier process no longer runs.
    ['is free if an earlier process of this instance acquired it', lease('shop-2'), 0, { state: 'free' }],
    [
      'is taken while an earlier pod of this instance may still run',
      lease('shop-2', undefined, '1'),
      14_999,
      { state: 'taken', holder: 'shop-2' },
    ],
    [
      'is free once the Lease of an earlier pod has expired',
      lease('shop-2', undefined, '1'),
      15_000,
      { state: 'free' },
    ],
  ])('%s', (_, held, nowMs, state) => {
    const observed = held && observeLease(undefined, held, 0);
    expect(leaseState(observed, { instance: 'shop-2', pod: '2', nowMs })).toEqual(state);
  });

  it('expires later only if its holder renews it', () => {
    const first = observeLease(undefined, lease('shop-1'), 1_000);
    const unchanged = observeLease(first, lease('shop-1'), 2_000);
    expect(expiryOf(unchanged)).toBe(16_000);
    expect(expiryOf(observeLease(unchanged, lease('shop-1', '2026-01-01T00:00:02.000000Z'), 3_000))).toBe(18_000);
  });
});
