import { type Stored, VirtualClock } from '@kubewright/apimachinery';
import { Lease } from '@kubewright/apimachinery/coordination/v1';
import { beforeEach, describe, expect, it } from 'vitest';
import { SeenLeases } from './seen-leases.ts';

/** A Lease whose holder's clock is hours behind. */
const lease = (renewTime: string, holderIdentity = 'shop-1') =>
  Lease({
    metadata: { namespace: 'default', name: 'shop-primary', uid: '1' },
    spec: { holderIdentity, leaseDurationSeconds: 15, renewTime: `2020-01-01T00:00:${renewTime}.000000Z` },
  }) as Stored<Lease>;

describe('SeenLeases', () => {
  let clock: VirtualClock;
  let leases: SeenLeases;
  beforeEach(() => {
    clock = new VirtualClock();
    leases = new SeenLeases(clock);
  });

  it('counts a Lease as just renewed when it is first seen', () => {
    expect(leases.expiresInMs(lease('00'))).toBe(15_000);
  });

  it('expires a Lease that did not change for its duration', async () => {
    leases.see(lease('00'));
    await clock.advance(14_999);
    expect(leases.expiresInMs(lease('00'))).toBe(1);
    await clock.advance(1);
    expect(leases.expiresInMs(lease('00'))).toBe(0);
  });

  it('starts the duration again with each renewal, even if the cache still has an older one', async () => {
    leases.see(lease('00'));
    await clock.advance(10_000);
    leases.see(lease('10'));
    await clock.advance(10_000);
    expect(leases.expiresInMs(lease('00'))).toBe(5_000);
  });

  it.each([-24, 24])('ignores that the clock jumps by %i hours', async (hours) => {
    leases.see(lease('00'));
    clock.jumpWall(hours * 3_600_000);
    await clock.advance(5_000);
    expect(leases.expiresInMs(lease('00'))).toBe(10_000);
  });

  it('starts the duration again for a new holder', async () => {
    leases.see(lease('00'));
    await clock.advance(10_000);
    expect(leases.expiresInMs(lease('00', 'shop-2'))).toBe(15_000);
  });

  it('returns nothing for a Lease without a holder', () => {
    expect(leases.expiresInMs(lease('00', ''))).toBeUndefined();
  });
});
