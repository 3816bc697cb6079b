import type { PersistentVolume, PersistentVolumeClaim } from '@kubewright/apimachinery/core/v1';
import { storageNames } from '../volumes/storage-names.ts';
import { hasMode } from './match-volume.ts';

/** The next step for a volume. */
export type VolumeStep =
  | { readonly step: 'setPhase'; readonly phase: 'Available' | 'Bound' }
  /** The claim was deleted: mark the volume as released and reclaim it. */
  | { readonly step: 'release'; readonly reclaim: Reclaim }
  /** Undo a binding, because the claim was bound to another volume. */
  | { readonly step: 'unbind' }
  /** The claim must be bound first. */
  | { readonly step: 'bindClaim' }
  /** The volume's mode is not the claim's. */
  | { readonly step: 'reject' };

/** How a released volume is reclaimed: it is retained, or it fails because no reclaimer exists here. */
export type Reclaim = { readonly failure?: { readonly reason: string; readonly message: string } };

/**
 * Decides what to do with a volume. `claim` is the claim that it refers to, by name and uid; undefined if that no longer exists.
 * Mirrors `syncVolume` of the persistent volume controller (1.36).
 */
export function volumeStep(volume: PersistentVolume, claim: PersistentVolumeClaim | undefined): VolumeStep {
  const reference = volume.spec?.claimRef;
  // A volume that is reserved by name is available, but only for that claim.
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

/** The binder itself can neither delete nor recycle a volume. Volumes are deleted by their provisioner. */
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
