import { LabelSelector, Quantity, type Stored } from '@kubewright/apimachinery';
import type { PersistentVolume, PersistentVolumeClaim } from '@kubewright/apimachinery/core/v1';
import { matchesAny, type SelectedNode } from '../plugins/node-selector.ts';
import { isReservedFor } from './bound.ts';
import { storageClassOf } from './storage-class-of.ts';

/** True if a volume can be used on a node. */
export function reachableFrom({ spec }: PersistentVolume, node: SelectedNode): boolean {
  const required = spec?.nodeAffinity?.required;
  return required === undefined || matchesAny(required, node);
}

/** Returns the size that a claim requests. */
export function requestedStorage({ spec }: PersistentVolumeClaim): Quantity {
  return Quantity.tryParse(spec?.resources?.requests?.['storage']) ?? Quantity.zero;
}

/**
 * Returns the volume reserved for a claim, or else the smallest volume that fits it. Returns undefined if the node can
 * use neither.
 */
export function findVolume(
  claim: Stored<PersistentVolumeClaim>,
  options: {
    readonly volumes: readonly Stored<PersistentVolume>[];
    readonly node: SelectedNode;
    readonly taken: ReadonlySet<string>;
  },
): Stored<PersistentVolume> | undefined {
  const { volumes, node, taken } = options;
  const selector = claim.spec?.selector ? LabelSelector.ofObject(claim.spec.selector) : LabelSelector.everything;
  let smallest: { readonly volume: Stored<PersistentVolume>; readonly size: Quantity } | undefined;
  for (const volume of volumes) {
    if (taken.has(volume.metadata.name) || !isCandidate(volume, claim)) continue;
    if (isReservedFor(volume, claim)) return reachableFrom(volume, node) ? volume : undefined;
    if (volume.status?.phase !== 'Available' || !selector.matches(volume.metadata.labels)) continue;
    if (storageClassOf(volume) !== storageClassOf(claim) || !reachableFrom(volume, node)) continue;
    const modes = volume.spec?.accessModes ?? [];
    if (!(claim.spec?.accessModes ?? []).every((mode) => modes.includes(mode))) continue;
    const size = capacityOf(volume);
    if (!smallest || smallest.size.compare(size) > 0) smallest = { volume, size };
  }
  return smallest?.volume;
}

/**
 * True if the volume is large enough, has the claim's mode and attributes class, is not reserved for another claim, and is not
 * being deleted.
 */
function isCandidate(volume: Stored<PersistentVolume>, claim: Stored<PersistentVolumeClaim>): boolean {
  const { spec, metadata } = volume;
  if (spec?.claimRef && !isReservedFor(volume, claim)) return false;
  if (capacityOf(volume).compare(requestedStorage(claim)) < 0) return false;
  if ((spec?.volumeMode ?? 'Filesystem') !== (claim.spec?.volumeMode ?? 'Filesystem')) return false;
  if ((spec?.volumeAttributesClassName ?? '') !== (claim.spec?.volumeAttributesClassName ?? '')) return false;
  return metadata.deletionTimestamp === undefined;
}

function capacityOf({ spec }: PersistentVolume): Quantity {
  return Quantity.tryParse(spec?.capacity?.['storage']) ?? Quantity.zero;
}
