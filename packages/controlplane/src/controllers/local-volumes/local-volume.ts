import { isDeleting, type Stored } from '@kubewright/apimachinery';
import {
  type Node,
  type NodeSelectorRequirement,
  PersistentVolume,
  type PersistentVolumeClaim,
} from '@kubewright/apimachinery/core/v1';
import { defined } from '@kubewright/apimachinery/internal';
import type { StorageClass } from '@kubewright/apimachinery/storage/v1';
import { waitsForConsumer } from '../volumes/storage-class.ts';
import { storageNames } from '../volumes/storage-names.ts';

/** The name of the provisioner in storage classes and annotations. */
export const provisionerName = 'kubewright.dev/local-directory';

/** The finalizer that keeps a volume until its folder is removed. All external provisioners use the same finalizer. */
export const volumeFinalizer = 'external-provisioner.volume.kubernetes.io/finalizer';

const hostname = 'kubernetes.io/hostname';

/** True if a claim waits for a volume from this provisioner. */
export function isWaiting(claim: PersistentVolumeClaim, storageClass: StorageClass | undefined): boolean {
  const annotations = claim.metadata.annotations ?? {};
  if (isDeleting(claim) || claim.spec?.volumeName || annotations[storageNames.provisioner] !== provisionerName)
    return false;
  if (storageClass?.provisioner !== provisionerName) return false;
  return !waitsForConsumer(storageClass) || annotations[storageNames.selectedNode] !== undefined;
}

/** Returns why a claim cannot have a local volume, or undefined if it can. */
export function unsupported(claim: PersistentVolumeClaim, storageClass: StorageClass): string | undefined {
  const [parameter] = Object.keys(storageClass.parameters ?? {});
  if (parameter !== undefined)
    return `unknown parameter ${JSON.stringify(parameter)}: local volumes take no parameters`;
  if ((storageClass.mountOptions ?? []).length > 0) return 'local volumes do not support mount options';
  if (claim.spec?.volumeMode === 'Block') return 'block volumes are not supported; use volumeMode: Filesystem';
  if (claim.spec?.selector) return 'claim.spec.selector is not supported';
  const source = claim.spec?.dataSourceRef ?? claim.spec?.dataSource;
  if (!source) return undefined;
  if (source.kind !== 'PersistentVolumeClaim' || source.apiGroup) return `cannot copy from a ${source.kind}`;
  const isHere =
    !claim.spec?.dataSourceRef?.namespace || claim.spec.dataSourceRef.namespace === claim.metadata.namespace;
  return isHere ? undefined : 'cannot copy from a claim in another namespace';
}

/**
 * Chooses a node for a volume that the scheduler has not placed: the first by name that is ready, schedulable, and allowed by the
 * class.
 */
export function nodeFor(storageClass: StorageClass, nodes: readonly Stored<Node>[]): string | undefined {
  return nodes
    .filter((node) => isUsable(node) && isAllowed(storageClass, node))
    .map(({ metadata }) => metadata.name)
    .sort()[0];
}

/** True if the class allows volumes on a node. */
export function isAllowed({ allowedTopologies = [] }: StorageClass, { metadata }: Node): boolean {
  if (allowedTopologies.length === 0) return true;
  return allowedTopologies.some(({ matchLabelExpressions = [] }) =>
    matchLabelExpressions.every(({ key, values }) => values.includes(metadata.labels?.[key] ?? '')),
  );
}

function isUsable({ spec, status }: Node): boolean {
  return (
    !spec?.unschedulable &&
    (status?.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True') ?? false)
  );
}

/** Builds the volume for a claim. Only pods on its node can mount it, unless the claim requests shared access. */
export function localVolume(
  claim: Stored<PersistentVolumeClaim>,
  place: { readonly storageClass: Stored<StorageClass>; readonly node: Node; readonly path: string },
): PersistentVolume {
  const { storageClass, node, path } = place;
  const { name, namespace, uid, resourceVersion } = claim.metadata;
  const { accessModes = [], resources, volumeMode, volumeAttributesClassName } = claim.spec ?? {};
  const storage = resources?.requests?.['storage'] ?? '0';
  const reclaim = storageClass.reclaimPolicy ?? 'Delete';
  // All nodes are on this machine, so a shared volume can be mounted on any of them.
  const isShared = accessModes.some((mode) => mode.endsWith('Many'));
  const values = [node.metadata.labels?.[hostname] ?? node.metadata.name ?? ''];
  const requirement: NodeSelectorRequirement = isShared
    ? { key: hostname, operator: 'Exists' }
    : { key: hostname, operator: 'In', values };
  return PersistentVolume({
    metadata: {
      name: volumeName(claim),
      annotations: { [storageNames.provisionedBy]: provisionerName },
      ...(reclaim === 'Delete' && { finalizers: [volumeFinalizer] }),
    },
    spec: {
      accessModes,
      capacity: { storage },
      claimRef: { apiVersion: 'v1', kind: 'PersistentVolumeClaim', namespace, name, uid, resourceVersion },
      local: { path },
      nodeAffinity: { required: { nodeSelectorTerms: [{ matchExpressions: [requirement] }] } },
      persistentVolumeReclaimPolicy: reclaim,
      storageClassName: storageClass.metadata.name,
      ...defined({ volumeMode }),
      ...(volumeAttributesClassName && { volumeAttributesClassName }),
    },
  });
}

/** Returns the name of the volume for a claim. */
export function volumeName({ metadata }: PersistentVolumeClaim): string {
  return `pvc-${metadata.uid}`;
}

/** True if this provisioner created the volume. */
export function isLocalVolume({ metadata }: PersistentVolume): boolean {
  return metadata.annotations?.[storageNames.provisionedBy] === provisionerName;
}

/** The next step for a volume of this provisioner. */
export type LocalVolumeStep = 'none' | 'delete' | 'addFinalizer' | 'removeFinalizer';

/** Decides the next step for a volume of this provisioner. A volume has the finalizer while its reclaim policy is Delete. */
export function localVolumeStep(volume: PersistentVolume): LocalVolumeStep {
  const isDeleted = volume.spec?.persistentVolumeReclaimPolicy === 'Delete';
  const has = volume.metadata.finalizers?.includes(volumeFinalizer) ?? false;
  if (!isDeleted) return has ? 'removeFinalizer' : 'none';
  const { phase } = volume.status ?? {};
  if (phase === 'Released' || phase === 'Failed') return 'delete';
  // A volume that is deleted before it is bound to a claim never becomes Released.
  if (isDeleting(volume)) return has && phase !== 'Bound' ? 'delete' : 'none';
  return has ? 'none' : 'addFinalizer';
}
