import type { PersistentVolume, PersistentVolumeClaim } from '@kubewright/apimachinery/core/v1';
import { storageNames } from '../volumes/storage-names.ts';
import { hasMode } from './match-volume.ts';

/** The next step for a volume. */
export type VolumeStep =
  | { readonly step: 'setPhase'; readonly phase: 'Available' | 'Bound' }
  /** Mark the volume as released and reclaim it, because its claim was deleted. */
  | { readonly step: 'release'; readonly reclaim: Reclaim }
  /** Unbind the volume, because its claim was bound to another volume. */
  | { readonly step: 'unbind' }
  /** Bind the volume's claim to it first. */
  | { readonly step: 'bindClaim' }
  /** Report that the volume's mode differs from the claim's. */
  | { readonly step: 'reject' };

/**
 * Describes how a released volume is reclaimed. `failure` is set if the volume must be recycled or deleted and no plugin or
 * provisioner can do so.
 */
export type Reclaim = { readonly failure?: { readonly reason: string; readonly message: string } };

/**
 * Decides what to do with a volume. `claim` is the claim that the volume refers to by name and uid, or undefined if it no longer
 * exists. Mirrors `syncVolume` of the persistent volume controller (1.36).
 */
export function volumeStep(volume: PersistentVolume, claim: PersistentVolumeClaim | undefined): VolumeStep {
  const reference = volume.spec?.claimRef;
  // A volume that is reserved only by the claim's name is still available, but only to that claim.
  if (!reference?.uid) return { step: 'setPhase', phase: 'Available' };
  if (!claim) return { step: 'release', reclaim: reclaimOf(volume) };
  const bound = claim.spec?.volumeName;
  if (!bound) return hasMode(volume, claim) ? { step: 'bindClaim' } : { step: 'reject' };
  if (bound === volume.metadata.name) return { step: 'setPhase', phase: 'Bound' };
  const wasProvisioned = volume.metadata.annotations?.[storageNames.provisionedBy] !== undefined;
  return wasProvisioned && volume.spec?.persistentVolumeReclaimPolicy === 'Delete'
    ? { step: 'release', reclaim: reclaimOf(volume) }
    : { step: 'unbind' };
}

/**
 * Decides how a released volume is reclaimed. The binder cannot delete or recycle volumes; provisioners delete the volumes that
 * they created.
 */
function reclaimOf({ metadata, spec }: PersistentVolume): Reclaim {
  if (spec?.persistentVolumeReclaimPolicy === 'Recycle') {
    const message = 'No recycler plugin found for the volume!';
    return { failure: { reason: 'VolumeFailedRecycle', message } };
  }
  if (spec?.persistentVolumeReclaimPolicy !== 'Delete') return {};
  if (metadata.annotations?.[storageNames.provisionedBy] || spec.csi) return {};
  const message = `error getting deleter volume plugin for volume ${JSON.stringify(metadata.name)}: no deletable volume plugin matched`;
  return { failure: { reason: 'VolumeFailedDelete', message } };
}
