import { Pod, ResourceQuota, Service } from '@kubewright/apimachinery/core/v1';
import { describe, expect, it } from 'vitest';
import { type Chargeable, QuotaCharges } from './quota-charges.ts';

function pod(uid: string, cpu: string, rest: Partial<Pod['metadata']> = {}): Extract<Chargeable, { kind: 'Pod' }> {
  const containers = [{ name: 'c', image: 'i', resources: { requests: { cpu } } }];
  return {
    kind: 'Pod',
    object: Pod({ metadata: { name: uid, namespace: 'default', uid, ...rest }, spec: { containers } }) as Pod,
  };
}

const quota = (hard: Record<string, string>, rest: object = {}): ResourceQuota =>
  ResourceQuota({ metadata: { name: 'q', namespace: 'default' }, spec: { hard, ...rest } }) as ResourceQuota;

const none = (): undefined => undefined;

describe('QuotaCharges', () => {
  it('updates the usage when objects are created, changed and deleted', () => {
    const charges = new QuotaCharges(quota({ pods: '10', 'requests.cpu': '10', services: '5' }));
    expect(charges.charge(pod('a', '500m'))).toBe(true);
    expect(charges.charge(pod('b', '1'))).toBe(true);
    const service = Service({ metadata: { name: 's', namespace: 'default', uid: 's' } }) as Service;
    charges.charge({ kind: 'Service', object: service });
    expect(charges.used(none)).toEqual({ pods: '2', 'requests.cpu': '1500m', services: '1' });
    expect(charges.charge(pod('a', '500m'))).toBe(false);
    expect(charges.charge(pod('a', '2'))).toBe(true);
    expect(charges.used(none)).toEqual({ pods: '2', 'requests.cpu': '3', services: '1' });
    expect(charges.release('Pod', 'a')).toBe(true);
    expect(charges.release('Pod', 'a')).toBe(false);
    charges.release('Service', 's');
    expect(charges.used(none)).toEqual({ pods: '1', 'requests.cpu': '1', services: '0' });
    charges.release('Pod', 'b');
    expect(charges.used(none)).toEqual({ pods: '0', 'requests.cpu': '0', services: '0' });
  });

  it('reads no other object when one object changes', () => {
    const charges = new QuotaCharges(quota({ 'requests.cpu': '10' }));
    let reads = 0;
    for (let n = 0; n < 1000; n++) {
      const { kind, object } = pod(`p${n}`, '1');
      const { spec } = object;
      const get = (): typeof spec => {
        reads++;
        return spec;
      };
      Object.defineProperty(object, 'spec', { get });
      charges.charge({ kind, object });
    }
    reads = 0;
    charges.charge(pod('p7', '2'));
    charges.expire(0);
    expect(charges.used(none)).toEqual({ 'requests.cpu': '1001' });
    expect(reads).toBe(0);
  });

  it('returns the time until the deletion of a pod is overdue, and then stops charging the pod', () => {
    const charges = new QuotaCharges(quota({ pods: '10', 'count/pods': '10' }));
    const deleted = { deletionTimestamp: '2026-01-01T00:00:00Z', deletionGracePeriodSeconds: 30 };
    charges.charge(pod('a', '1'));
    expect(charges.charge(pod('a', '1', deleted))).toBe(true);
    const atMs = Date.UTC(2026, 0, 1);
    expect(charges.expire(atMs)).toBe(30_001);
    expect(charges.used(none)).toEqual({ pods: '1', 'count/pods': '1' });
    expect(charges.expire(atMs + 30_001)).toBeUndefined();
    expect(charges.used(none)).toEqual({ pods: '0', 'count/pods': '1' });
  });

  it('counts the objects of resources, but none if the quota has scopes', () => {
    const count = (resource: string): number | undefined => (resource === 'configmaps' ? 3 : undefined);
    const hard = { configmaps: '5', 'count/jobs.batch': '5' };
    expect(new QuotaCharges(quota(hard)).used(count)).toEqual({ configmaps: '3' });
    expect(new QuotaCharges(quota(hard, { scopes: ['BestEffort'] })).used(count)).toEqual({ configmaps: '0' });
  });

  it('can be reused for a quota with the same resources and scopes', () => {
    const charges = new QuotaCharges(quota({ pods: '1' }));
    expect(charges.isFor(quota({ pods: '2' }))).toBe(true);
    expect(charges.isFor(quota({ pods: '1', services: '1' }))).toBe(false);
    expect(charges.isFor(quota({ pods: '1' }, { scopes: ['BestEffort'] }))).toBe(false);
  });
});
