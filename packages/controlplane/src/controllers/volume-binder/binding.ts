import { Quantity, type Stored } from '@kubewright/apimachinery';
import type { PersistentVolume, PersistentVolumeClaim } from '@kubewright/apimachinery/core/v1';
import { defined, sameJson } from '@kubewright/apimachinery/internal';
import { storageNames } from '../volumes/storage-names.ts';
import { isBoundTo } from './match-volume.ts';

const preResizeCapacity = 'volume.alpha.kubernetes.io/pre-resize-capacity';

/** Returns the volume with a reference to the claim, or the same object if it already refers to the claim. */
export function volumeBoundTo(
  volume: Stored<PersistentVolume>,
  claim: Stored<PersistentVolumeClaim>,
): Stored<PersistentVolume> {
  const { name, namespace, uid, resourceVersion } = claim.metadata;
  const old = volume.spec?.claimRef;
  const isComplete = old?.name === name && old.namespace === namespace && old.uid === uid;
  if (isComplete) return volume;
  const claimRef = { kind: 'PersistentVolumeClaim', namespace, name, uid, apiVersion: 'v1', resourceVersion };
  const bound = { ...volume, spec: { ...volume.spec, claimRef } };
  // Do not annotate a volume as bound by the controller if the user has reserved it for the claim.
  return isBoundTo(volume, claim) ? bound : annotated(bound, storageNames.boundByController);
}

/** Returns the claim bound to the volume, or the same object if it is already bound. */
export function claimBoundTo(
  claim: Stored<PersistentVolumeClaim>,
  volume: Stored<PersistentVolume>,
): PersistentVolumeClaim {
  const { name } = volume.metadata;
  const isNamed = claim.spec?.volumeName === name;
  const named = isNamed ? claim : { ...claim, spec: { ...claim.spec, volumeName: name } };
  const marked = isNamed ? named : annotated(named, storageNames.boundByController);
  return annotated(marked, storageNames.bindCompleted);
}

/** Returns the claim with its status set for a phase, or the same object if nothing changes. */
export function withClaimPhase(
  claim: PersistentVolumeClaim,
  { phase, volume }: { readonly phase: 'Pending' | 'Bound' | 'Lost'; readonly volume?: PersistentVolume },
): PersistentVolumeClaim {
  const { accessModes, capacity, currentVolumeAttributesClassName: attributes, ...rest } = claim.status ?? {};
  if (!volume) return changed(claim, { ...rest, phase });
  const becomesBound = rest.phase !== phase;
  const current = rest.phase === 'Pending' ? volume.spec?.volumeAttributesClassName : attributes;
  // Keep the size of a claim that is already bound, even if the volume's size differs: the file system may not be resized yet.
  const size = becomesBound ? boundCapacity(volume, capacity) : capacity;
  return changed(claim, {
    ...rest,
    phase,
    ...defined({ accessModes: volume.spec?.accessModes, capacity: size, currentVolumeAttributesClassName: current }),
  });
}

/** Returns the volume unbound from its claim. If a user reserved the volume for the claim by name, it stays reserved. */
export function unboundVolume(volume: PersistentVolume): PersistentVolume {
  const { claimRef, ...spec } = volume.spec ?? {};
  const { [storageNames.boundByController]: byController, ...annotations } = volume.metadata.annotations ?? {};
  if (byController === undefined) {
    const { uid: _uid, ...reserved } = claimRef ?? {};
    return { ...volume, spec: { ...spec, claimRef: reserved } };
  }
  return { ...volume, metadata: { ...volume.metadata, annotations }, spec };
}

type Capacity = Readonly<Record<string, string>> | undefined;

function boundCapacity({ metadata, spec }: PersistentVolume, before: Capacity): Capacity {
  const resizing = Quantity.tryParse(metadata.annotations?.[preResizeCapacity]);
  if (resizing) return { ...before, storage: resizing.toString() };
  const [now, old] = [spec?.capacity, before].map((capacity) => Quantity.tryParse(capacity?.['storage']));
  return now && old?.equals(now) ? before : spec?.capacity;
}

function annotated<T extends PersistentVolume | PersistentVolumeClaim>(object: Stored<T>, name: string): Stored<T> {
  const { annotations } = object.metadata;
  if (annotations?.[name] !== undefined) return object;
  return { ...object, metadata: { ...object.metadata, annotations: { ...annotations, [name]: 'yes' } } };
}

function changed(
  claim: PersistentVolumeClaim,
  status: NonNullable<PersistentVolumeClaim['status']>,
): PersistentVolumeClaim {
  return sameJson(claim.status ?? {}, status) ? claim : { ...claim, status };
}
