import { join, resolve, sep } from 'node:path';
import type { PersistentVolume, Pod, Volume } from '@kubewright/apimachinery/core/v1';
import type { PodObjects } from '../pod/pod-host.ts';
import { UnprocessedVolumeError, VolumeError } from './pod-volumes.ts';

/** Returns the name of the claim that a volume mounts: the claim that it names, or the claim created for an ephemeral volume. */
export function claimNameOf(pod: Pod, volume: Volume): string | undefined {
  return volume.persistentVolumeClaim?.claimName ?? (volume.ephemeral && `${pod.metadata.name}-${volume.name}`);
}

/**
 * Returns the persistent volume of a claim.
 *
 * @throws UnprocessedVolumeError if the claim does not exist, is being deleted or is not bound; retry later.
 */
export async function boundVolume(
  volume: Volume,
  { pod, objects }: { readonly pod: Pod; readonly objects: Pick<PodObjects, 'claim' | 'persistentVolume'> },
): Promise<PersistentVolume> {
  const { namespace = '', name: podName } = pod.metadata;
  const name = claimNameOf(pod, volume) ?? '';
  const fail = (why: string): never => {
    throw new UnprocessedVolumeError(volume.name, `error processing PVC ${namespace}/${name}: ${why}`);
  };
  const claim = await objects.claim(namespace, name);
  if (!claim) return fail(`failed to fetch PVC from API server: persistentvolumeclaims "${name}" not found`);
  const { deletionTimestamp, ownerReferences = [], uid } = claim.metadata;
  const isOwned = ownerReferences.some((owner) => owner.controller === true && owner.uid === pod.metadata.uid);
  if (volume.ephemeral && !isOwned) {
    return fail(`PVC ${namespace}/${name} was not created for pod ${namespace}/${podName} (pod is not owner)`);
  }
  if (deletionTimestamp) return fail('PVC is being deleted');
  const { volumeName } = claim.spec ?? {};
  if (claim.status?.phase !== 'Bound' || !volumeName) return fail('PVC is not bound');
  const found = await objects.persistentVolume(volumeName);
  if (!found)
    return fail(`failed to fetch PV ${volumeName} from API server: persistentvolumes "${volumeName}" not found`);
  if (found.spec?.claimRef?.uid !== uid) {
    return fail(`PV ${volumeName} is bound to another claim`);
  }
  return found;
}

/** The folder of a persistent volume. */
export interface VolumeFolder {
  readonly path: string;
  /** True if the folder is one of the node's own: it is created if needed, and owned by the pod's user. */
  readonly isOwn: boolean;
}

/**
 * Returns the folder of a `local` or `hostPath` volume. A local volume of the cluster's provisioner is a folder below `root`. For
 * any other path, the node uses its own folder, unless pods may mount folders on this machine.
 *
 * @throws VolumeError for other kinds of volumes.
 */
export function volumeFolder(
  { spec }: PersistentVolume,
  node: { readonly volume: string; readonly root: string; readonly name: string; readonly allowHostPath: boolean },
): VolumeFolder {
  const given = spec?.local?.path ?? spec?.hostPath?.path;
  if (given === undefined) {
    const known = ['accessModes', 'capacity', 'claimRef', 'nodeAffinity', 'volumeMode'];
    const kind = Object.entries(spec ?? {}).find(([key, value]) => !known.includes(key) && typeof value === 'object');
    const why = `persistent volumes of type ${kind?.[0] ?? 'unknown'} are not supported on this node; use local or hostPath`;
    throw new VolumeError(node.volume, why);
  }
  if (spec?.volumeMode === 'Block') throw new VolumeError(node.volume, 'block volumes are not supported on this node');
  const path = resolve('/', given);
  const root = resolve(node.root);
  // A volume's folder is two levels below the root. Any other path there could be another volume's data.
  if (path.startsWith(root + sep) && path.slice(root.length + 1).split(sep).length === 2) return { path, isOwn: true };
  if (node.allowHostPath && !path.startsWith(root + sep)) return { path, isOwn: false };
  return { path: join(root, node.name, 'host', path), isOwn: true };
}
