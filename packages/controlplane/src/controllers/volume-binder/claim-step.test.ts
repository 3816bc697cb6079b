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
      'binds the smallest volume that fits',
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
      'binds the volume with fewer access modes',
      claim(),
      {
        volumes: [
          volume('a', { accessModes: ['ReadWriteMany', 'ReadWriteOnce'] }),
          volume('b', { capacity: { storage: '4Gi' } }),
        ],
      },
      'bind b',
    ],
    [
      'binds a volume that is reserved for the claim',
      claim(),
      { volumes: [volume('a'), volume('b', reserved())] },
      'bind b',
    ],
    [
      'binds a reserved volume even if binding is delayed',
      claim(),
      { storageClass: late, volumes: [volume('a'), volume('b', reserved('1'))] },
      'bind b',
    ],
    [
      'does not bind a volume that is reserved for an earlier claim of the same name',
      claim(),
      { storageClass: disks, volumes: [volume('b', reserved('0'))] },
      'provision ExternalProvisioning',
    ],
    [
      'does not bind a volume that is being deleted',
      claim(),
      { storageClass: disks, volumes: [volume('a', {}, { deletionTimestamp: '2026-01-01T00:00:00Z' })] },
      'provision ExternalProvisioning',
    ],
    [
      'does not bind a volume that the selector does not match',
      claim({ selector: { matchLabels: { a: 'b' } } }),
      { storageClass: disks, volumes: [volume('a')] },
      'provision ExternalProvisioning',
    ],
    [
      'does not bind a volume with another attributes class',
      claim({ volumeAttributesClassName: 'gold' }),
      { storageClass: disks, volumes: [volume('a')] },
      'provision ExternalProvisioning',
    ],
    [
      'waits for a pod that mounts the claim',
      claim(),
      { storageClass: late, volumes: [volume('a')] },
      'wait WaitForFirstConsumer: waiting for first consumer to be created before binding',
    ],
    [
      'waits for its pod to be scheduled',
      claim(),
      { storageClass: late, unscheduledPods: ['p'] },
      'wait WaitForPodScheduled: waiting for pod p to be scheduled',
    ],
    [
      'waits for its pods to be scheduled',
      claim(),
      { storageClass: late, unscheduledPods: ['p', 'q'] },
      'wait WaitForPodScheduled: waiting for pods p,q to be scheduled',
    ],
    [
      'requests a volume for the selected node',
      claim({}, { 'volume.kubernetes.io/selected-node': 'x' }),
      { storageClass: late },
      'provision ExternalProvisioning',
    ],
    [
      'assigns the default class',
      claim({ storageClassName: undefined as never }),
      { defaultClass: disks },
      'assignClass disks',
    ],
    [
      'does not assign the default class to a claim with an empty class',
      claim({ storageClassName: '' }),
      { defaultClass: disks },
      'wait FailedBinding: no persistent volumes available for this claim and no storage class is set',
    ],
    [
      'rejects the provisioner of a former in-tree plugin',
      claim(),
      { storageClass: { ...disks, provisioner: 'kubernetes.io/no-provisioner' } },
      'wait ProvisioningFailed: no volume plugin matched name: kubernetes.io/no-provisioner',
    ],
    [
      'rejects a class that does not exist',
      claim(),
      {},
      'wait ProvisioningFailed: storageclass.storage.k8s.io "disks" not found',
    ],
    ['binds the volume that the claim names', claim({ volumeName: 'a' }), { named: volume('a') }, 'bind a'],
    ['waits for the volume that the claim names', claim({ volumeName: 'a' }), {}, 'wait'],
    [
      'rejects a named volume of another class',
      claim({ volumeName: 'a', storageClassName: 'x' }),
      { named: volume('a') },
      'wait VolumeMismatch: Cannot bind to requested volume "a": storageClassName does not match',
    ],
    [
      'rejects a named volume of another mode',
      claim({ volumeName: 'a', volumeMode: 'Block' }),
      { named: volume('a') },
      'wait VolumeMismatch: Cannot bind to requested volume "a": incompatible volumeMode',
    ],
    [
      'rejects a named volume that is reserved for another claim',
      claim({ volumeName: 'a' }),
      { named: volume('a', { claimRef: { namespace: 'n', name: 'd' } }) },
      'wait FailedBinding: volume "a" already bound to a different claim.',
    ],
    [
      'binds a bound claim to its volume again',
      claim({ volumeName: 'a' }, bindCompleted),
      { named: volume('a', reserved('1')) },
      'bind a',
    ],
    [
      'marks the claim as lost if its volume no longer exists',
      claim({ volumeName: 'a' }, bindCompleted),
      {},
      'lose ClaimLost: Bound claim has lost its PersistentVolume. Data on the volume is lost!',
    ],
    [
      'marks the claim as lost if its volume is bound to another claim',
      claim({ volumeName: 'a' }, bindCompleted),
      { named: volume('a', reserved('2')) },
      'lose ClaimMisbound: Two claims are bound to the same volume, this one is bound incorrectly',
    ],
  ])('%s', (_name, given, facts, expected) => {
    const step = claimStep(given, { ...nothing, ...facts });
    const event = 'event' in step && step.event;
    const text = event ? (step.step === 'provision' ? event.reason : `${event.reason}: ${event.message}`) : '';
    const target = 'volume' in step ? step.volume.metadata.name : 'storageClass' in step ? step.storageClass : text;
    expect(`${step.step} ${target}`.trim()).toBe(expected);
  });
});
