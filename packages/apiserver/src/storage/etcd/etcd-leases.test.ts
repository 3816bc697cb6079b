import { VirtualClock } from '@kubewright/apimachinery';
import { describe, expect, it } from 'vitest';
import type { EtcdClient } from './etcd-client.ts';
import { EtcdLeases } from './etcd-leases.ts';

function leases() {
  const granted: number[] = [];
  const grantLease = async ({ id }: { readonly id: number }): Promise<void> => {
    granted.push(id);
  };
  let count = 0;
  const random = { next: () => ++count / 10, uid: () => '' };
  const clock = new VirtualClock();
  return { clock, granted, leases: new EtcdLeases({ grantLease } as unknown as EtcdClient, { clock, random }) };
}

describe('EtcdLeases', () => {
  it('grants one lease to concurrent first calls', async () => {
    const { granted, leases: shared } = leases();
    const ids = await Promise.all([shared.lease(3600), shared.lease(3600), shared.lease(3600)]);
    expect(granted).toHaveLength(1);
    expect(new Set(ids)).toEqual(new Set(granted));
  });

  it('grants one new lease to concurrent calls after the last lease is full', async () => {
    const { granted, leases: shared } = leases();
    for (let key = 0; key < 1000; key++) await shared.lease(3600);
    await Promise.all([shared.lease(3600), shared.lease(3600)]);
    expect(granted).toHaveLength(2);
  });
});
