import type { Stored } from '@kubewright/apimachinery';
import { PersistentVolume, PersistentVolumeClaim } from '@kubewright/apimachinery/core/v1';
import { StorageClass } from '@kubewright/apimachinery/storage/v1';
import { stored } from '@kubewright/apimachinery/testing';
import { describe, expect, it } from 'vitest';
import { type ClaimFacts, claimStep } from './claim-step.ts';

type ClaimSpec = NonNullable<PersistentVolumeClaim['spec']>;
type VolumeSpec = NonNullable<PersistentVolume['spec']>;

const bindCompleted = { 'pv.kubernetes.io/bind-completed': 'yes' };

function claim(spec: Partial<ClaimSpec> = {}, annotations: Readonly<Record<string, string>> = {}) {
  const resources = { requests: { storage: '2Gi' } };
  return stored(
    PersistentVolumeClaim({
      metadata: { name: 'c', namespace: 'n', uid: '1', annotations },
      spec: { accessModes: ['ReadWriteOnce'], storageClassName: 'disks', resources, ...spec },
    }),
  );
}

function volume(name: string, spec: Partial<VolumeSpec> = {}, more: object = {}) {
  const full: VolumeSpec = {
    accessModes: ['ReadWriteOnce'],
    storageClassName: 'disks',
    capacity: { storage: '2Gi' },
    ...spec,
  };
  const created = PersistentVolume({ metadata: { name, ...more }, spec: full });
  return stored<PersistentVolume>({ ...created, status: { phase: 'Available' } });
}

const disks = stored(StorageClass({ metadata: { name: 'disks' }, provisioner: 'example.com/disks' }));
const late: Stored<StorageClass> = { ...disks, volumeBindingMode: 'WaitForFirstConsumer' };
const nothing: ClaimFacts = {
  named: undefined,
  volumes: [],
  storageClass: undefined,
  defaultClass: undefined,
  unscheduledPods: [],
};
const reserved = (uid?: string) => ({ claimRef: { namespace: 'n', name: 'c', ...(uid && { uid }) } });

describe('claimStep', () => {
  it.each<[string, Stored<PersistentVolumeClaim>, Partial<ClaimFacts>, string]>([
    [
      'the smallest volume that fits',
      claim(),
      {
        volumes: [
          volume('a', { capacity: { storage: '4Gi' } }),
          volume('b'),
          volume('c', { capacity: { storage: '1Gi' } }),
        ],
      },
      'bind b',
    ],
    [
      'the volume with fewer access modes',
      claim(),
      {
        volumes: [
          volume('a', { accessModes: ['ReadWriteMany', 'ReadWriteOnce'] }),
          volume('b', { capacity: { storage: '4Gi' } }),
        ],
      },
      'bind b',
    ],
    ['a volume that is reserved for it', claim(), { volumes: [volume('a'), volume('b', reserved())] }, 'bind b'],
    [
      'a reserved volume while binding is delayed',
      claim(),
      { storageClass: late, volumes: [volume('a'), volume('b', reserved('1'))] },
      'bind b',
    ],
    [
      'no volume reserved for an earlier claim of that name',
      claim(),
      { storageClass: disks, volumes: [volume('b', reserved('0'))] },
      'provision ExternalProvisioning',
    ],
    [
      'no volume that is being deleted',
      claim(),
      { storageClass: disks, volumes: [volume('a', {}, { deletionTimestamp: '2026-01-01T00:00:00Z' })] },
      'provision ExternalProvisioning',
    ],
    [
      'no volume with another selector',
      claim({ selector: { matchLabels: { a: 'b' } } }),
      { storageClass: disks, volumes: [volume('a')] },
      'provision ExternalProvisioning',
    ],
    [
      'no volume with other attributes',
      claim({ volumeAttributesClassName: 'gold' }),
      { storageClass: disks, volumes: [volume('a')] },
      'provision ExternalProvisioning',
    ],
    [
      'no volume, before a pod mounts it',
      claim(),
      { storageClass: late, volumes: [volume('a')] },
      'wait WaitForFirstConsumer: waiting for first consumer to be created before binding',
    ],
    [
      'no volume, before its pod has a node',
      claim(),
      { storageClass: late, unscheduledPods: ['p'] },
      'wait WaitForPodScheduled: waiting for pod p to be scheduled',
    ],
    [
      'no volume, before its pods have nodes',
      claim(),
      { storageClass: late, unscheduledPods: ['p', 'q'] },
      'wait WaitForPodScheduled: waiting for pods p,q to be scheduled',
    ],
    [
      'a new volume for the selected node',
      claim({}, { 'volume.kubernetes.io/selected-node': 'x' }),
      { storageClass: late },
      'provision ExternalProvisioning',
    ],
    [
      'the default class',
      claim({ storageClassName: undefined as never }),
      { defaultClass: disks },
      'assignClass disks',
    ],
    [
      'no default class instead of none',
      claim({ storageClassName: '' }),
      { defaultClass: disks },
      'wait FailedBinding: no persistent volumes available for this claim and no storage class is set',
    ],
    [
      'no provisioner of a former plugin',
      claim(),
      { storageClass: { ...disks, provisioner: 'kubernetes.io/no-provisioner' } },
      'wait ProvisioningFailed: no volume plugin matched name: kubernetes.io/no-provisioner',
    ],
    [
      'no class that does not exist',
      claim(),
      {},
      'wait ProvisioningFailed: storageclass.storage.k8s.io "disks" not found',
    ],
    ['the volume that it names', claim({ volumeName: 'a' }), { named: volume('a') }, 'bind a'],
    ['the volume that it names, once it exists', claim({ volumeName: 'a' }), {}, 'wait'],
    [
      'no named volume of another class',
      claim({ volumeName: 'a', storageClassName: 'x' }),
      { named: volume('a') },
      'wait VolumeMismatch: Cannot bind to requested volume "a": storageClassName does not match',
    ],
    [
      'no named volume of another mode',
      claim({ volumeName: 'a', volumeMode: 'Block' }),
      { named: volume('a') },
      'wait VolumeMismatch: Cannot bind to requested volume "a": incompatible volumeMode',
    ],
    [
      'no named volume of another claim',
      claim({ volumeName: 'a' }),
      { named: volume('a', { claimRef: { namespace: 'n', name: 'd' } }) },
      'wait FailedBinding: volume "a" already bound to a different claim.',
    ],
    ['its volume again', claim({ volumeName: 'a' }, bindCompleted), { named: volume('a', reserved('1')) }, 'bind a'],
    [
      'nothing once its volume is gone',
      claim({ volumeName: 'a' }, bindCompleted),
      {},
      'lose ClaimLost: Bound claim has lost its PersistentVolume. Data on the volume is lost!',
    ],
    [
      'nothing once its volume is bound to another',
      claim({ volumeName: 'a' }, bindCompleted),
      { named: volume('a', reserved('2')) },
      'lose ClaimMisbound: Two claims are bound to the same volume, this one is bound incorrectly',
    ],
  ])('gives a claim %s', (_name, given, facts, expected) => {
    const step = claimStep(given, { ...nothing, ...facts });
    const event = 'event' in step && step.event;
    const text = event ? (step.step === 'provision' ? event.reason : `${event.reason}: ${event.message}`) : '';
    const target = 'volume' in step ? step.volume.metadata.name : 'storageClass' in step ? step.storageClass : text;
    expect(`${step.step} ${target}`.trim()).toBe(expected);
  });
});
