import type { Stored } from '@kubewright/apimachinery';
import type { PersistentVolumeClaim, TopologySelectorTerm } from '@kubewright/apimachinery/core/v1';
import type { StorageClass } from '@kubewright/apimachinery/storage/v1';
import type { NodeInfo } from '../cluster/node-info.ts';
import { claimNameOf, type PendingPod } from '../cluster/pod-info.ts';
import type { ClusterObjects, ClusterView } from '../framework/cluster-view.ts';
import { hint, type Plugin } from '../framework/plugin.ts';
import { type Rejection, unresolvable } from '../framework/rejection.ts';
import { SchedulingError } from '../scheduling-error.ts';
import { isFullyBound } from '../volumes/bound.ts';
import { type PodClaims, type PodVolumes, podVolumesOn, VolumeConflict } from '../volumes/pod-volumes.ts';
import { storageClassOf } from '../volumes/storage-class-of.ts';

const name = 'VolumeBinding';
const unbound = unresolvable(name, 'pod has unbound immediate PersistentVolumeClaims');

/**
 * Requires the pod's volumes to be usable from the node. The node must match the node affinity of the volumes of bound claims.
 * For each claim whose class waits for a pod, a matching volume must exist, or the class must be able to provision a volume
 * there.
 */
export const volumeBinding: Plugin = {
  name,
  preFilter(pod, view) {
    const claims = claimsOf(pod, view);
    if (claims === undefined || 'reasons' in claims) return claims;
    return new VolumeFilter(claims, view.objects);
  },
  hints: [
    hint('StorageClass', ['Add', 'Update'], (_pod, { old, now }) => {
      const topologies = (storageClass: StorageClass | undefined): readonly TopologySelectorTerm[] =>
        storageClass?.allowedTopologies ?? [];
      return !old || JSON.stringify(topologies(old)) !== JSON.stringify(topologies(now));
    }),
    hint('PersistentVolumeClaim', ['Add', 'Update'], (pod, { now }) => {
      if (now?.metadata.namespace !== pod.namespace) return false;
      return pod.volumes.some((volume) => claimNameOf(pod, volume) === now.metadata.name);
    }),
    hint('PersistentVolume', ['Add', 'Update']),
    hint('Node', ['Add', 'UpdateLabel']),
    hint('CSINode', ['Add']),
    hint('CSIDriver', ['Update'], ({ pod }, { old, now }) => {
      const uses = pod.spec?.volumes?.some(({ csi }) => csi?.driver === now?.metadata.name);
      return uses === true && old?.spec.storageCapacity === true && now?.spec.storageCapacity !== true;
    }),
    hint('CSIStorageCapacity', ['Add', 'Update']),
  ],
};

/** Filters nodes by the pod's volumes, and remembers the volume decisions for each node that passed. */
export class VolumeFilter {
  readonly #claims: PodClaims;
  readonly #objects: ClusterObjects;
  readonly #byNode = new Map<string, PodVolumes>();

  constructor(claims: PodClaims, objects: ClusterObjects) {
    this.#claims = claims;
    this.#objects = objects;
  }

  filter(node: NodeInfo): Rejection | undefined {
    const volumes = podVolumesOn(node, this.#claims, this.#objects);
    if (volumes instanceof VolumeConflict) return unresolvable(name, ...volumes.reasons);
    this.#byNode.set(node.name, volumes);
    return undefined;
  }

  /** Returns the volumes to bind and to provision if the pod is assigned to the node. */
  volumesOn(nodeName: string): PodVolumes | undefined {
    return this.#byNode.get(nodeName);
  }
}

/** Returns the pod's claims by state, undefined if it has none, or a rejection if the pod cannot be scheduled yet. */
function claimsOf(pod: PendingPod, { objects }: ClusterView): PodClaims | Rejection | undefined {
  const bound: Stored<PersistentVolumeClaim>[] = [];
  const delayed: Stored<PersistentVolumeClaim>[] = [];
  let immediate = false;
  for (const volume of pod.volumes) {
    const claimName = claimNameOf(pod, volume);
    if (claimName === undefined) continue;
    const claim = usableClaim(pod, { claimName, isEphemeral: volume.ephemeral !== undefined, objects });
    if ('reasons' in claim) return claim;
    if (isFullyBound(claim)) bound.push(claim);
    else if (delaysBinding(claim, objects) && !claim.spec?.volumeName) delayed.push(claim);
    else immediate = true;
  }
  if (immediate) return unbound;
  return bound.length + delayed.length === 0 ? undefined : { bound, delayed };
}

function usableClaim(
  pod: PendingPod,
  options: { readonly claimName: string; readonly isEphemeral: boolean; readonly objects: ClusterObjects },
): Stored<PersistentVolumeClaim> | Rejection {
  const { claimName, isEphemeral, objects } = options;
  const { namespace } = pod;
  const claim = objects.claim({ namespace, name: claimName });
  if (!claim) {
    const waiting = 'waiting for ephemeral volume controller to create the persistentvolumeclaim';
    const why = isEphemeral ? `${waiting} "${claimName}"` : `persistentvolumeclaim "${claimName}" not found`;
    return unresolvable(name, why);
  }
  if (claim.status?.phase === 'Lost') {
    const { volumeName = '' } = claim.spec ?? {};
    return unresolvable(
      name,
      `persistentvolumeclaim "${claimName}" bound to non-existent persistentvolume "${volumeName}"`,
    );
  }
  if (claim.metadata.deletionTimestamp !== undefined)
    return unresolvable(name, `persistentvolumeclaim "${claimName}" is being deleted`);
  const isOwn = claim.metadata.ownerReferences?.some(({ controller, uid }) => controller && uid === pod.uid);
  if (isEphemeral && !isOwn) {
    const key = `${namespace}/${claimName}`;
    return unresolvable(name, `PVC ${key} was not created for pod ${namespace}/${pod.name} (pod is not owner)`);
  }
  return claim;
}

function delaysBinding(claim: PersistentVolumeClaim, objects: ClusterObjects): boolean {
  const className = storageClassOf(claim);
  const storageClass = className === '' ? undefined : objects.storageClass(className);
  if (!storageClass) return false;
  if (!storageClass.volumeBindingMode) {
    throw new SchedulingError({ what: `VolumeBindingMode not set for StorageClass "${className}"` });
  }
  return storageClass.volumeBindingMode === 'WaitForFirstConsumer';
}
