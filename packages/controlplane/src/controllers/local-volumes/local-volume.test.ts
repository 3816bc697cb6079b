import type { Stored } from '@kubewright/apimachinery';
import { Node, PersistentVolume, PersistentVolumeClaim } from '@kubewright/apimachinery/core/v1';
import { StorageClass } from '@kubewright/apimachinery/storage/v1';
import { stored } from '@kubewright/apimachinery/testing';
import { describe, expect, it } from 'vitest';
import {
  isWaiting,
  localVolume,
  localVolumeStep,
  nodeFor,
  provisionerName,
  unsupported,
  volumeFinalizer,
} from './local-volume.ts';
import { resized, resizing } from './resize.ts';

type ClaimSpec = NonNullable<PersistentVolumeClaim['spec']>;

const annotations = { 'volume.kubernetes.io/storage-provisioner': provisionerName };
const selected = { ...annotations, 'volume.kubernetes.io/selected-node': 'a' };
const standard = stored(StorageClass({ metadata: { name: 'standard' }, provisioner: provisionerName }));
const late: Stored<StorageClass> = { ...standard, volumeBindingMode: 'WaitForFirstConsumer' };

function claim(spec: Partial<ClaimSpec> = {}, metadata: object = {}) {
  const full: ClaimSpec = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } }, ...spec };
  const given = { name: 'c', namespace: 'n', uid: '1', annotations, ...metadata };
  return stored(PersistentVolumeClaim({ metadata: given, spec: full }));
}

function node(name: string, status: 'True' | 'False', labels: Readonly<Record<string, string>> = {}) {
  const made = Node({ metadata: { name, labels: { 'kubernetes.io/hostname': name, ...labels } }, spec: {} });
  return stored<Node>({ ...made, status: { conditions: [{ type: 'Ready', status }] } });
}

describe('isWaiting', () => {
  it.each<[string, Stored<PersistentVolumeClaim>, StorageClass | undefined, boolean]>([
    ['a claim whose class binds immediately', claim(), standard, true],
    ['a claim that waits for a pod', claim(), late, false],
    ['a claim for which the scheduler chose a node', claim({}, { annotations: selected }), late, true],
    ['a claim that names a volume', claim({ volumeName: 'v' }), standard, false],
    ['a claim of another provisioner', claim({}, { annotations: {} }), standard, false],
    ['a claim that is being deleted', claim({}, { deletionTimestamp: '2026-01-01T00:00:00Z' }), standard, false],
    ['a claim without a class', claim(), undefined, false],
  ])('checks %s', (_name, given, storageClass, expected) => {
    expect(isWaiting(given, storageClass)).toBe(expected);
  });
});

describe('unsupported', () => {
  it.each<[string | undefined, Partial<ClaimSpec>, Partial<StorageClass>]>([
    [undefined, { dataSource: { kind: 'PersistentVolumeClaim', name: 'x' } }, {}],
    ['block volumes are not supported; use volumeMode: Filesystem', { volumeMode: 'Block' }, {}],
    ['claim.spec.selector is not supported', { selector: {} }, {}],
    ['cannot copy from a VolumeSnapshot', { dataSourceRef: { apiGroup: 's', kind: 'VolumeSnapshot', name: 'x' } }, {}],
    [
      'cannot copy from a claim in another namespace',
      { dataSourceRef: { kind: 'PersistentVolumeClaim', name: 'x', namespace: 'm' } },
      {},
    ],
    ['unknown parameter "type": local volumes take no parameters', {}, { parameters: { type: 'ssd' } }],
    ['local volumes do not support mount options', {}, { mountOptions: ['ro'] }],
  ])('returns %s', (expected, spec, storageClass) => {
    expect(unsupported(claim(spec), { ...standard, ...storageClass })).toBe(expected);
  });
});

describe('nodeFor', () => {
  it('returns the first ready node that the class allows', () => {
    const nodes = [node('c', 'True', { zone: 'x' }), node('b', 'True'), node('a', 'False')];
    expect(nodeFor(standard, nodes)).toBe('b');
    const allowedTopologies = [{ matchLabelExpressions: [{ key: 'zone', values: ['x'] }] }];
    expect(nodeFor({ ...standard, allowedTopologies }, nodes)).toBe('c');
    expect(nodeFor(standard, [])).toBeUndefined();
  });
});

describe('localVolume', () => {
  it.each([
    [
      'only on its node if it is not shared',
      'ReadWriteOnce',
      { key: 'kubernetes.io/hostname', operator: 'In', values: ['a'] },
    ],
    ['on every node if it is shared', 'ReadWriteMany', { key: 'kubernetes.io/hostname', operator: 'Exists' }],
  ])('can be mounted %s', (_name, mode, requirement) => {
    const place = { storageClass: standard, node: node('a', 'True'), path: '/volumes/a/pvc-1' };
    const { metadata, spec } = localVolume(claim({ accessModes: [mode] }), place);
    expect(metadata).toMatchObject({ name: 'pvc-1', finalizers: [volumeFinalizer] });
    expect(spec?.nodeAffinity?.required?.nodeSelectorTerms).toEqual([{ matchExpressions: [requirement] }]);
    expect(spec).toMatchObject({
      capacity: { storage: '1Gi' },
      claimRef: { namespace: 'n', name: 'c', uid: '1' },
      local: { path: '/volumes/a/pvc-1' },
      persistentVolumeReclaimPolicy: 'Delete',
    });
  });
});

describe('localVolumeStep', () => {
  const deleted = { deletionTimestamp: '2026-01-01T00:00:00Z' };
  const kept = { finalizers: [volumeFinalizer] };
  it.each<[string, object, 'Delete' | 'Retain', 'Available' | 'Bound' | 'Failed' | 'Released', string]>([
    ['bound', kept, 'Delete', 'Bound', 'none'],
    ['released', kept, 'Delete', 'Released', 'delete'],
    ['released with policy Retain', kept, 'Retain', 'Released', 'removeFinalizer'],
    ['bound with policy Retain', {}, 'Retain', 'Bound', 'none'],
    ['bound without the finalizer', {}, 'Delete', 'Bound', 'addFinalizer'],
    ['deleted while it is bound', { ...kept, ...deleted }, 'Delete', 'Bound', 'none'],
    ['deleted before it was bound', { ...kept, ...deleted }, 'Delete', 'Available', 'delete'],
    ['deleted and released', { ...kept, ...deleted }, 'Delete', 'Released', 'delete'],
  ])('handles a volume that is %s', (_name, metadata, persistentVolumeReclaimPolicy, phase, expected) => {
    const volume = PersistentVolume({ metadata: { name: 'v', ...metadata }, spec: { persistentVolumeReclaimPolicy } });
    expect(localVolumeStep({ ...volume, status: { phase } })).toBe(expected);
  });
});

describe('resizing', () => {
  it('is reported in the status of the claim until the volume has the new size', () => {
    const other = { type: 'FileSystemResizePending', status: 'True' } as const;
    const before = { phase: 'Bound', capacity: { storage: '1Gi' }, conditions: [other] } as const;
    const during = resizing(before, { storage: '2Gi', lastTransitionTime: '2026-01-01T00:00:00Z' });
    expect(during).toMatchObject({
      capacity: { storage: '1Gi' },
      allocatedResources: { storage: '2Gi' },
      allocatedResourceStatuses: { storage: 'ControllerResizeInProgress' },
      conditions: [other, { type: 'Resizing', status: 'True' }],
    });
    expect(resized(during, '2Gi')).toEqual({
      phase: 'Bound',
      capacity: { storage: '2Gi' },
      allocatedResources: { storage: '2Gi' },
      conditions: [other],
    });
  });
});
