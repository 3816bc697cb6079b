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
    ['no owner if claims are retained', set('Retain', 'Retain'), false, [bySet, other], [other]],
    ['the set if claims are deleted with it', set('Delete', 'Retain'), false, [other], [other, bySet]],
    ['the set, even for a condemned pod', set('Delete', 'Retain'), true, [bySet], undefined],
    ['no owner before the set is scaled down', set('Retain', 'Delete'), false, [byPod], []],
    ['the pod once the set is scaled down', set('Retain', 'Delete'), true, [], [byPod]],
    ['the set before it is scaled down', set('Delete', 'Delete'), false, [], [bySet]],
    ['the pod instead of the set once it is scaled down', set('Delete', 'Delete'), true, [bySet], [byPod]],
    [
      'the set as its controller if it was a plain owner',
      set('Delete', 'Retain'),
      false,
      [{ ...bySet, controller: false }],
      [bySet],
    ],
    [
      'no change if an earlier set of the same name owns it',
      set('Delete', 'Delete'),
      false,
      [{ ...bySet, uid: 'old' }],
      undefined,
    ],
    [
      'no change if an earlier pod of the same name owns it',
      set('Delete', 'Delete'),
      true,
      [{ ...byPod, uid: 'old' }],
      undefined,
    ],
    [
      'only another controller if there is one',
      set('Delete', 'Delete'),
      false,
      [otherController, bySet],
      [otherController],
    ],
    [
      'no change if it is retained and has another controller',
      set('Retain', 'Retain'),
      false,
      [otherController],
      undefined,
    ],
  ])('gives a claim %s', (_name, owner, condemned, present, expected) => {
    expect(claimOwnership(claim(...present), { set: owner, pod, condemned }).ownerReferences).toEqual(expected);
  });

  it('reports another controller only if a policy deletes claims', () => {
    const parts = { pod, condemned: false };
    expect(claimOwnership(claim(otherController), { ...parts, set: set('Delete', 'Retain') }).isConflicting).toBe(true);
    expect(claimOwnership(claim(otherController), { ...parts, set: set('Retain', 'Retain') }).isConflicting).toBe(
      false,
    );
  });
});

describe('isClaimStale', () => {
  it.each<[string, ReturnType<typeof set>, OwnerReference, boolean]>([
    ['true if its previous pod owns the claim', set('Retain', 'Delete'), { ...byPod, uid: 'old' }, true],
    ['false if claims are not deleted on scale-down', set('Delete', 'Retain'), { ...byPod, uid: 'old' }, false],
    ['false if the set owns the claim', set('Delete', 'Delete'), bySet, false],
  ])('returns %s', (_name, owner, reference, expected) => {
    expect(isClaimStale(claim(reference), { set: owner, pod })).toBe(expected);
  });
});
