import type { Stored } from '@kubewright/apimachinery';
import type { PersistentVolume, PersistentVolumeClaim } from '@kubewright/apimachinery/core/v1';
import type { StorageClass } from '@kubewright/apimachinery/storage/v1';
import { storageNames } from './storage-names.ts';

/**
 * Returns the storage class that a claim names, or undefined if it names none. An empty name requests a volume without a class.
 */
export function classOfClaim({ metadata, spec }: PersistentVolumeClaim): string | undefined {
  return metadata.annotations?.[storageNames.betaClass] ?? spec?.storageClassName;
}

/** Returns the storage class of a volume, or an empty string if it has none. */
export function classOfVolume({ metadata, spec }: PersistentVolume): string {
  return metadata.annotations?.[storageNames.betaClass] ?? spec?.storageClassName ?? '';
}

/**
 * Returns the default storage class, or undefined if no class is marked as default. If several classes are, returns the
 * newest.
 */
export function defaultClass(classes: readonly Stored<StorageClass>[]): Stored<StorageClass> | undefined {
  const created = ({ metadata }: Stored<StorageClass>): string => metadata.creationTimestamp;
  const name = ({ metadata }: Stored<StorageClass>): string => metadata.name;
  const isDefault = ({ metadata: { annotations } }: StorageClass): boolean =>
    annotations?.[storageNames.defaultClass] === 'true' || annotations?.[storageNames.betaDefaultClass] === 'true';
  return classes
    .filter(isDefault)
    .sort((a, b) => (created(a) === created(b) ? (name(a) < name(b) ? -1 : 1) : created(a) > created(b) ? -1 : 1))[0];
}

/** True if claims of this class are bound only once a pod that uses them is scheduled. */
export function waitsForConsumer(storageClass: StorageClass | undefined): boolean {
  return storageClass?.volumeBindingMode === 'WaitForFirstConsumer';
}
