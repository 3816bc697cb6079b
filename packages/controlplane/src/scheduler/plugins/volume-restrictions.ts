import type { Volume } from '@kubewright/apimachinery/core/v1';
import type { NodeInfo } from '../cluster/node-info.ts';
import { claimNameOf, isSharedDisk, type PendingPod, type PodInfo } from '../cluster/pod-info.ts';
import type { ClusterView } from '../framework/cluster-view.ts';
import { hint, type NodeFilter, type Plugin } from '../framework/plugin.ts';
import { type Rejection, unresolvable, unschedulable } from '../framework/rejection.ts';

const name = 'VolumeRestrictions';
const diskConflict = unschedulable(name, 'node(s) had no available disk');
const claimConflict = unschedulable(
  name,
  'node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by another pod',
);

/**
 * Rejects nodes where another pod uses the same disk, and all nodes while another pod uses one of this pod's ReadWriteOncePod
 * claims.
 */
export const volumeRestrictions: Plugin = {
  name,
  preFilter(pod, view) {
    if (pod.volumes.length === 0) return undefined;
    const exclusive = exclusiveClaims(pod, view);
    if (!(exclusive instanceof Set)) return exclusive;
    const disks = pod.volumes.filter(isSharedDisk);
    const conflicts = [...exclusive].filter((claim) => view.cache.claimUses(pod.namespace, claim) > 0).length;
    if (disks.length === 0 && conflicts === 0) return undefined;
    return new VolumeRestrictionsFilter(pod, { disks, exclusive, conflicts });
  },
  hints: [
    hint('Pod', ['Delete'], (pod, { old }) => {
      if (!old || old.namespace !== pod.namespace) return false;
      if (pod.volumes.some((disk) => old.volumes.some((other) => conflict(disk, other)))) return true;
      const claims = new Set(pod.volumes.flatMap(({ persistentVolumeClaim: claim }) => claim?.claimName ?? []));
      return old.volumes.some(({ persistentVolumeClaim: claim }) => claim && claims.has(claim.claimName));
    }),
    hint('Node', ['Add']),
    hint('PersistentVolumeClaim', ['Add'], (pod, { now }) => {
      const used = pod.volumes.some(({ persistentVolumeClaim: claim }) => claim?.claimName === now?.metadata.name);
      return used && now?.metadata.namespace === pod.namespace;
    }),
  ],
};

function exclusiveClaims(pod: PendingPod, { objects }: ClusterView): Set<string> | Rejection {
  const exclusive = new Set<string>();
  for (const volume of pod.volumes) {
    const claimName = volume.persistentVolumeClaim && claimNameOf(pod, volume);
    if (claimName === undefined) continue;
    const claim = objects.claim({ namespace: pod.namespace, name: claimName });
    if (!claim) return unresolvable(name, `persistentvolumeclaim "${claimName}" not found`);
    if (claim.spec?.accessModes?.includes('ReadWriteOncePod')) exclusive.add(claimName);
  }
  return exclusive;
}

interface Restrictions {
  readonly disks: readonly Volume[];
  readonly exclusive: ReadonlySet<string>;
  readonly conflicts: number;
}

class VolumeRestrictionsFilter implements NodeFilter {
  readonly #pod: PendingPod;
  readonly #restrictions: Restrictions;
  #conflicts: number;

  constructor(pod: PendingPod, restrictions: Restrictions) {
    this.#pod = pod;
    this.#restrictions = restrictions;
    this.#conflicts = restrictions.conflicts;
  }

  filter({ pods }: NodeInfo): Rejection | undefined {
    const { disks } = this.#restrictions;
    for (const { volumes } of disks.length > 0 ? pods.values() : []) {
      if (disks.some((disk) => volumes.some((other) => conflict(disk, other)))) return diskConflict;
    }
    return this.#conflicts > 0 ? claimConflict : undefined;
  }

  addPod(pod: PodInfo): void {
    this.#conflicts += this.#conflictsOf(pod);
  }

  removePod(pod: PodInfo): void {
    this.#conflicts -= this.#conflictsOf(pod);
  }

  clone(): VolumeRestrictionsFilter {
    return new VolumeRestrictionsFilter(this.#pod, { ...this.#restrictions, conflicts: this.#conflicts });
  }

  #conflictsOf({ volumes, namespace }: PodInfo): number {
    if (namespace !== this.#pod.namespace) return 0;
    const { exclusive } = this.#restrictions;
    return volumes.filter(({ persistentVolumeClaim: claim }) => claim && exclusive.has(claim.claimName)).length;
  }
}

/** True if two pods on the same node cannot use these two volumes at the same time. */
function conflict(a: Volume, b: Volume): boolean {
  const { gcePersistentDisk: disk, awsElasticBlockStore: ebs, iscsi, rbd } = a;
  const { gcePersistentDisk: otherDisk, awsElasticBlockStore: otherEbs, iscsi: otherIscsi, rbd: otherRbd } = b;
  if (disk && otherDisk?.pdName === disk.pdName) return !(disk.readOnly && otherDisk.readOnly);
  if (ebs && otherEbs?.volumeID === ebs.volumeID) return true;
  if (iscsi && otherIscsi?.iqn === iscsi.iqn) return !(iscsi.readOnly && otherIscsi.readOnly);
  if (!rbd || !otherRbd) return false;
  const sameImage = (rbd.pool ?? 'rbd') === (otherRbd.pool ?? 'rbd') && rbd.image === otherRbd.image;
  const sameMonitor = rbd.monitors.some((monitor) => otherRbd.monitors.includes(monitor));
  return sameImage && sameMonitor && !(rbd.readOnly && otherRbd.readOnly);
}
