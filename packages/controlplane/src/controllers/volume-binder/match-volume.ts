import { isDeleting, LabelSelector, Quantity, type Stored } from '@kubewright/apimachinery';
import type { PersistentVolume, PersistentVolumeClaim } from '@kubewright/apimachinery/core/v1';
import { requestOf } from '../volumes/claim-size.ts';
import { classOfClaim, classOfVolume } from '../volumes/storage-class.ts';

/** True if a volume is bound to a claim, or reserved for it by name. */
export function isBoundTo({ spec }: PersistentVolume, { metadata }: PersistentVolumeClaim): boolean {
  const reference = spec?.claimRef;
  if (!reference || reference.name !== metadata.name || reference.namespace !== metadata.namespace) return false;
  return !reference.uid || reference.uid === metadata.uid;
}

/**
 * Returns the volume to bind a claim to: a volume that is reserved for the claim, or else the smallest volume that fits. Prefers
 * volumes with fewer access modes. If binding is delayed, returns only a reserved volume, because the scheduler chooses among the
 * other volumes.
 */
export function matchVolume(
  claim: PersistentVolumeClaim,
  { volumes, delayed }: { readonly volumes: readonly Stored<PersistentVolume>[]; readonly delayed: boolean },
): Stored<PersistentVolume> | undefined {
  const byModes = new Map<string, Stored<PersistentVolume>[]>();
  for (const volume of volumes) {
    if (!hasModes(volume, claim)) continue;
    const key = [...(volume.spec?.accessModes ?? [])].sort().join();
    byModes.set(key, [...(byModes.get(key) ?? []), volume]);
  }
  const groups = [...byModes].sort(([a], [b]) => a.split(',').length - b.split(',').length);
  for (const [, group] of groups) {
    const found = bestOf(group, { claim, delayed });
    if (found) return found;
  }
  return undefined;
}

/** Returns why a claim cannot be bound to the volume that it names, or undefined if it can. */
export function mismatch(volume: PersistentVolume, claim: PersistentVolumeClaim): string | undefined {
  if (isDeleting(volume)) return `the volume is marked for deletion ${JSON.stringify(volume.metadata.name)}`;
  if (sizeOf(volume).compare(requestOf(claim)) < 0) return 'requested PV is too small';
  if (classOfVolume(volume) !== (classOfClaim(claim) ?? '')) return 'storageClassName does not match';
  if (attributesOf(volume) !== attributesOf(claim)) return 'volumeAttributesClassName does not match';
  if (!hasMode(volume, claim)) return 'incompatible volumeMode';
  return hasModes(volume, claim) ? undefined : 'incompatible accessMode';
}

/** True if a volume and a claim have the same mode: file system or block device. */
export function hasMode(volume: PersistentVolume, claim: PersistentVolumeClaim): boolean {
  return (volume.spec?.volumeMode ?? 'Filesystem') === (claim.spec?.volumeMode ?? 'Filesystem');
}

function bestOf(
  volumes: readonly Stored<PersistentVolume>[],
  { claim, delayed }: { readonly claim: PersistentVolumeClaim; readonly delayed: boolean },
): Stored<PersistentVolume> | undefined {
  const request = requestOf(claim);
  const selector = claim.spec?.selector && LabelSelector.ofObject(claim.spec.selector);
  let smallest: Stored<PersistentVolume> | undefined;
  for (const volume of volumes) {
    const isReserved = isBoundTo(volume, claim);
    if (volume.spec?.claimRef && !isReserved) continue;
    if (sizeOf(volume).compare(request) < 0 || !hasMode(volume, claim) || isDeleting(volume)) continue;
    if (attributesOf(volume) !== attributesOf(claim)) continue;
    if (isReserved) return volume;
    if (delayed || volume.status?.phase !== 'Available') continue;
    if (selector && !selector.matches(volume.metadata.labels)) continue;
    if (classOfVolume(volume) !== (classOfClaim(claim) ?? '')) continue;
    if (!smallest || sizeOf(smallest).compare(sizeOf(volume)) > 0) smallest = volume;
  }
  return smallest;
}

function hasModes({ spec }: PersistentVolume, claim: PersistentVolumeClaim): boolean {
  return (claim.spec?.accessModes ?? []).every((mode) => spec?.accessModes?.includes(mode));
}

function attributesOf({ spec }: PersistentVolume | PersistentVolumeClaim): string {
  return spec?.volumeAttributesClassName ?? '';
}

function sizeOf({ spec }: PersistentVolume): Quantity {
  return Quantity.tryParse(spec?.capacity?.['storage']) ?? Quantity.zero;
}
