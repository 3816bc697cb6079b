import type { KubernetesObject, OwnerReference, Stored } from '@kubewright/apimachinery';
import type { StatefulSet } from '@kubewright/apimachinery/apps/v1';
import type { PersistentVolumeClaim, Pod } from '@kubewright/apimachinery/core/v1';
import { sameJson } from '@kubewright/apimachinery/internal';

/** The objects that may own a claim: its set, and its pod. */
export interface ClaimOwners {
  readonly set: Stored<StatefulSet>;
  readonly pod: Stored<Pod>;
  /** True if the pod will be deleted because its ordinal is outside the set's range. */
  readonly condemned: boolean;
}

/** A decision about a claim's owner references. */
export interface ClaimOwnership {
  /** The references that the claim should have; undefined if they need no change. */
  readonly ownerReferences?: readonly OwnerReference[];
  /** True if another controller owns the claim, so the retention policy is ignored. */
  readonly isConflicting: boolean;
}

/**
 * Decides which owner a claim should have, following the set's retention policy: the set, the pod if it is condemned, or none. A
 * claim that belongs to another controller, or to an earlier set or pod of the same name, is not changed. Mirrors
 * `isClaimOwnerUpToDate` and `updateClaimOwnerRefForSetAndPod` (1.36).
 */
export function claimOwnership(claim: PersistentVolumeClaim, { set, pod, condemned }: ClaimOwners): ClaimOwnership {
  const present = claim.metadata.ownerReferences ?? [];
  const ours = [set, pod];
  const isOurs = (reference: OwnerReference): boolean => ours.some((owner) => names(reference, owner));
  const { whenDeleted = 'Retain', whenScaled = 'Retain' } = set.spec?.persistentVolumeClaimRetentionPolicy ?? {};
  if (present.some((reference) => ours.some((owner) => isStale(reference, owner)))) return { isConflicting: false };
  const others = present.filter((reference) => !isOurs(reference));
  const hasPolicy = whenDeleted === 'Delete' || whenScaled === 'Delete';
  const isConflicting = hasPolicy && others.some(({ controller }) => controller === true);
  const wanted = isConflicting ? [] : owners();
  const ownerReferences = [...others, ...wanted];
  return sameJson(present, ownerReferences) ? { isConflicting } : { ownerReferences, isConflicting };

  function owners(): readonly OwnerReference[] {
    if (whenScaled === 'Delete' && condemned) return [controllerReference(pod)];
    return whenDeleted === 'Delete' ? [controllerReference(set)] : [];
  }
}

/**
 * True if a pod must not be created yet: its claim still belongs to the previous pod of the same name and will be
 * deleted with that pod.
 */
export function isClaimStale(
  claim: PersistentVolumeClaim,
  { set, pod }: { readonly set: StatefulSet; readonly pod: Pod },
): boolean {
  if (set.spec?.persistentVolumeClaimRetentionPolicy?.whenScaled !== 'Delete') return false;
  return claim.metadata.ownerReferences?.some((reference) => isStale(reference, pod)) ?? false;
}

/** True if a reference names an object with this kind and name. */
function names(reference: OwnerReference, { apiVersion, kind, metadata }: KubernetesObject): boolean {
  return reference.apiVersion === apiVersion && reference.kind === kind && reference.name === metadata.name;
}

function isStale(reference: OwnerReference, owner: KubernetesObject): boolean {
  return names(reference, owner) && reference.uid !== owner.metadata.uid;
}

function controllerReference({ apiVersion, kind, metadata }: Stored<KubernetesObject>): OwnerReference {
  const { name, uid } = metadata;
  return { apiVersion, kind, name, uid, controller: true, blockOwnerDeletion: true };
}
