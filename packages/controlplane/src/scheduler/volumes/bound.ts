import type { PersistentVolume, PersistentVolumeClaim } from '@kubewright/apimachinery/core/v1';

/** Set on a claim by the volume controller once claim and volume refer to each other. */
const bindCompleted = 'pv.kubernetes.io/bind-completed';
/** Set on a volume whose claim was chosen by the scheduler or the volume controller. */
export const boundByController = 'pv.kubernetes.io/bound-by-controller';
/** Set on a claim by the scheduler: the name of the node to provision a volume for. */
export const selectedNode = 'volume.kubernetes.io/selected-node';

/** True if a claim names a volume and its binding is complete. */
export function isFullyBound({ metadata, spec }: PersistentVolumeClaim): boolean {
  return Boolean(spec?.volumeName) && metadata.annotations?.[bindCompleted] !== undefined;
}

/** True if a volume is reserved for a claim. */
export function isReservedFor({ spec }: PersistentVolume, { metadata }: PersistentVolumeClaim): boolean {
  const { claimRef } = spec ?? {};
  if (claimRef?.name !== metadata.name || claimRef?.namespace !== metadata.namespace) return false;
  return !claimRef?.uid || claimRef.uid === metadata.uid;
}
