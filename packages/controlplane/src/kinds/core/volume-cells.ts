import { ageOf } from '@kubewright/apiserver/internal';
import type { ObjectMeta, PersistentVolume, PersistentVolumeClaim } from '../generated/drafts.ts';
import { orUnset } from '../table/cell-text.ts';
import { type CellsEntry, cellsOf } from '../table/kind-cells.ts';

const classAnnotation = 'volume.beta.kubernetes.io/storage-class';
const shortModes: readonly (readonly [mode: string, short: string])[] = [
  ['ReadWriteOnce', 'RWO'],
  ['ReadOnlyMany', 'ROX'],
  ['ReadWriteMany', 'RWX'],
  ['ReadWriteOncePod', 'RWOP'],
];

/** Table rows of persistent volumes and claims. */
export const volumeCells: readonly CellsEntry[] = [
  cellsOf<PersistentVolume>('/v1/persistentvolumes', ({ metadata, spec, status }, nowMs) => [
    metadata.name,
    spec.capacity?.['storage'] ?? '0',
    modesText(spec.accessModes),
    spec.persistentVolumeReclaimPolicy ?? '',
    metadata.deletionTimestamp ? 'Terminating' : (status.phase ?? ''),
    spec.claimRef ? `${spec.claimRef.namespace ?? ''}/${spec.claimRef.name ?? ''}` : '',
    classOf(metadata, spec.storageClassName),
    orUnset(spec.volumeAttributesClassName),
    status.reason ?? '',
    ageOf(metadata.creationTimestamp, nowMs),
    orUnset(spec.volumeMode),
  ]),
  cellsOf<PersistentVolumeClaim>('/v1/persistentvolumeclaims', ({ metadata, spec, status }, nowMs) => [
    metadata.name,
    metadata.deletionTimestamp ? 'Terminating' : (status.phase ?? ''),
    spec.volumeName ?? '',
    spec.volumeName ? (status.capacity?.['storage'] ?? '0') : '',
    spec.volumeName ? modesText(status.accessModes) : '',
    classOf(metadata, spec.storageClassName),
    orUnset(spec.volumeAttributesClassName),
    ageOf(metadata.creationTimestamp, nowMs),
    orUnset(spec.volumeMode),
  ]),
];

function modesText(modes: readonly string[] | undefined): string {
  return shortModes
    .filter(([mode]) => (modes ?? []).includes(mode))
    .map(([, short]) => short)
    .join(',');
}

function classOf({ annotations }: ObjectMeta, name: string | undefined): string {
  return annotations?.[classAnnotation] ?? name ?? '';
}
