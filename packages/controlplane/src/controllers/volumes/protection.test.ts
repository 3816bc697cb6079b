import { isNotFound } from '@kubewright/apimachinery';
import { Namespace, PersistentVolume, PersistentVolumeClaim, Pod } from '@kubewright/apimachinery/core/v1';
import { VolumeAttributesClass } from '@kubewright/apimachinery/storage/v1';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestControlPlane } from '../testdata/test-control-plane.ts';
import { usesClaim } from './claim-protection.ts';

const spec = { accessModes: ['ReadWriteOnce'], storageClassName: 'none', resources: { requests: { storage: '1Gi' } } };

describe('storage object protection', () => {
  let plane: TestControlPlane;
  beforeAll(async () => {
    plane = await TestControlPlane.start();
  });
  afterAll(async () => {
    await plane[Symbol.asyncDispose]();
    expect(plane.errors).toEqual([]);
    expect(plane.rejections).toEqual([]);
  });
  const gone = (get: () => Promise<unknown>) =>
    expect.poll(
      () =>
        get().then(
          () => 'found',
          (error) => (isNotFound(error) ? 'gone' : error),
        ),
      { timeout: 30_000 },
    );

  it('lets a namespace with unused claims be deleted', async () => {
    const namespace = 'with-claims';
    await plane.client.resource(Namespace).create(Namespace({ metadata: { name: namespace } }));
    await plane.client
      .resource(PersistentVolumeClaim)
      .create(PersistentVolumeClaim({ metadata: { name: 'c', namespace }, spec }));
    await plane.client.resource(Namespace).delete({ name: namespace });
    await gone(() => plane.client.resource(Namespace).get({ name: namespace })).toBe('gone');
  });

  it('restores a removed finalizer, and lets an unbound volume be deleted', async () => {
    const volumes = plane.client.resource(PersistentVolume);
    const { resources, ...rest } = spec;
    const volumeSpec = { ...rest, capacity: resources.requests, hostPath: { path: '/x' } };
    await volumes.create(PersistentVolume({ metadata: { name: 'v' }, spec: volumeSpec }));
    await volumes.patch({ name: 'v' }, { type: 'merge', body: { metadata: { finalizers: null } } });
    await expect
      .poll(async () => (await volumes.get({ name: 'v' })).metadata.finalizers)
      .toEqual(['kubernetes.io/pv-protection']);
    await volumes.delete({ name: 'v' });
    await gone(() => volumes.get({ name: 'v' })).toBe('gone');
  });

  it('keeps a VolumeAttributesClass until no claim refers to it', async () => {
    const classes = plane.client.resource(VolumeAttributesClass);
    const claims = plane.client.resource(PersistentVolumeClaim);
    const namespace = 'default';
    await classes.create(
      VolumeAttributesClass({ metadata: { name: 'gold' }, driverName: 'd', parameters: { iops: '1' } }),
    );
    const claim = { metadata: { name: 'golden', namespace }, spec: { ...spec, volumeAttributesClassName: 'gold' } };
    await claims.create(PersistentVolumeClaim(claim));
    await classes.delete({ name: 'gold' });
    expect((await classes.get({ name: 'gold' })).metadata.deletionTimestamp).toBeDefined();
    await claims.delete({ namespace, name: 'golden' });
    await gone(() => classes.get({ name: 'gold' })).toBe('gone');
  });
});

describe('usesClaim', () => {
  const claim = PersistentVolumeClaim({ metadata: { name: 'c', namespace: 'n' }, spec });
  const named = { name: 'v', persistentVolumeClaim: { claimName: 'c' } };
  const scratch = { name: 'c', ephemeral: { volumeClaimTemplate: { spec } } };
  const owner = { apiVersion: 'v1', kind: 'Pod', name: 'p', uid: '1', controller: true };
  const ephemeralClaim = PersistentVolumeClaim({
    metadata: { name: 'p-c', namespace: 'n', ownerReferences: [owner] },
    spec,
  });
  const done = { deletionTimestamp: '2026-01-01T00:00:00Z', deletionGracePeriodSeconds: 0 };
  const pod = (volume: object, more: object = {}, nodeName: string | undefined = 'node') =>
    Pod({
      metadata: { name: 'p', namespace: 'n', uid: '1', ...more },
      spec: { containers: [], volumes: [{ name: 'v', ...volume }], ...(nodeName && { nodeName }) },
    });

  it.each([
    ['true for a scheduled pod', pod(named), claim, true],
    ['false for a pod that mounts another claim', pod({ persistentVolumeClaim: { claimName: 'd' } }), claim, false],
    ['false for an unscheduled pod', pod(named, {}, ''), claim, false],
    ['true for a pod that its node has stopped', pod(named, done), claim, true],
    ['true for the pod of an ephemeral volume', pod(scratch), ephemeralClaim, true],
    ['false for the pod of an ephemeral volume that its node has stopped', pod(scratch, done), ephemeralClaim, false],
    ['false for another pod of the same name', pod(scratch, { uid: '2' }), ephemeralClaim, false],
  ])('returns %s', (_name, user, used, expected) => {
    expect(usesClaim(user, used)).toBe(expected);
  });
});
