import type { OwnerReference } from '@kubewright/apimachinery';
import { StatefulSet } from '@kubewright/apimachinery/apps/v1';
import { PersistentVolumeClaim, Pod } from '@kubewright/apimachinery/core/v1';
import { stored } from '@kubewright/apimachinery/testing';
import { describe, expect, it } from 'vitest';
import { claimOwnership, isClaimStale } from './claim-owners.ts';

const pod = stored(Pod({ metadata: { name: 'db-0', namespace: 'n', uid: 'pod' }, spec: { containers: [] } }));
const controls = { controller: true, blockOwnerDeletion: true };
const bySet: OwnerReference = { apiVersion: 'apps/v1', kind: 'StatefulSet', name: 'db', uid: 'set', ...controls };
const byPod: OwnerReference = { apiVersion: 'v1', kind: 'Pod', name: 'db-0', uid: 'pod', ...controls };
const other: OwnerReference = { apiVersion: 'v1', kind: 'ConfigMap', name: 'x', uid: 'x' };
const otherController: OwnerReference = { ...other, controller: true };

function set(whenDeleted: 'Delete' | 'Retain', whenScaled: 'Delete' | 'Retain') {
  const persistentVolumeClaimRetentionPolicy = { whenDeleted, whenScaled };
  return stored(
    StatefulSet({
      metadata: { name: 'db', namespace: 'n', uid: 'set' },
      spec: { selector: {}, template: {}, persistentVolumeClaimRetentionPolicy },
    }),
  );
}

const claim = (...ownerReferences: readonly OwnerReference[]) =>
  stored(PersistentVolumeClaim({ metadata: { name: 'data-db-0', namespace: 'n', ownerReferences }, spec: {} }));

describe('claimOwnership', () => {
  it.each<[string, ReturnType<typeof set>, boolean, readonly OwnerReference[], readonly OwnerReference[] | undefined]>([
    ['none if claims are kept', set('Retain', 'Retain'), false, [bySet, other], [other]],
    ['the set if claims go with it', set('Delete', 'Retain'), false, [other], [other, bySet]],
    ['the set, even beyond its size', set('Delete', 'Retain'), true, [bySet], undefined],
    ['none before the set shrinks', set('Retain', 'Delete'), false, [byPod], []],
    ['the pod once the set shrinks', set('Retain', 'Delete'), true, [], [byPod]],
    ['the set before it shrinks', set('Delete', 'Delete'), false, [], [bySet]],
    ['the pod instead of the set once it shrinks', set('Delete', 'Delete'), true, [bySet], [byPod]],
    ['a controlling set', set('Delete', 'Retain'), false, [{ ...bySet, controller: false }], [bySet]],
    ['what an earlier set left', set('Delete', 'Delete'), false, [{ ...bySet, uid: 'old' }], undefined],
    ['what an earlier pod left', set('Delete', 'Delete'), true, [{ ...byPod, uid: 'old' }], undefined],
    ['another controller alone', set('Delete', 'Delete'), false, [otherController, bySet], [otherController]],
    ['another controller of kept claims', set('Retain', 'Retain'), false, [otherController], undefined],
  ])('gives a claim %s', (_name, owner, condemned, present, expected) => {
    expect(claimOwnership(claim(...present), { set: owner, pod, condemned }).ownerReferences).toEqual(expected);
  });

  it('reports another controller if a policy is set', () => {
    const parts = { pod, condemned: false };
    expect(claimOwnership(claim(otherController), { ...parts, set: set('Delete', 'Retain') }).isConflicting).toBe(true);
    expect(claimOwnership(claim(otherController), { ...parts, set: set('Retain', 'Retain') }).isConflicting).toBe(
      false,
    );
  });
});

describe('isClaimStale', () => {
  it.each<[string, ReturnType<typeof set>, OwnerReference, boolean]>([
    ['its last pod is being removed', set('Retain', 'Delete'), { ...byPod, uid: 'old' }, true],
    ['claims are kept', set('Delete', 'Retain'), { ...byPod, uid: 'old' }, false],
    ['the set owns it', set('Delete', 'Delete'), bySet, false],
  ])('answers if %s', (_name, owner, reference, expected) => {
    expect(isClaimStale(claim(reference), { set: owner, pod })).toBe(expected);
  });
});
