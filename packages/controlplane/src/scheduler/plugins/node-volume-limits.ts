import type { CSINode } from '@kubewright/apimachinery/storage/v1';
import type { NodeInfo } from '../cluster/node-info.ts';
import { claimNameOf, type PodInfo } from '../cluster/pod-info.ts';
import type { ClusterObjects } from '../framework/cluster-view.ts';
import { hint, type Plugin } from '../framework/plugin.ts';
import { type Rejection, unresolvable, unschedulable } from '../framework/rejection.ts';
import { storageClassOf } from '../volumes/storage-class-of.ts';

const name = 'NodeVolumeLimits';
const tooMany = unschedulable(name, 'node(s) exceed max volume count');

/** Names of CSI drivers, by volume (`driver/handle`). */
type CsiVolumes = Map<string, string>;

/** Rejects nodes where the pod's volumes would exceed the limit of attached volumes for a CSI driver. */
export const nodeVolumeLimits: Plugin = {
  name,
  preFilter(pod, { objects }) {
    if (!pod.volumes.some(({ persistentVolumeClaim, ephemeral }) => persistentVolumeClaim ?? ephemeral))
      return undefined;
    const missing = pod.volumes.flatMap((volume) => {
      const claim = claimNameOf(pod, volume);
      return claim === undefined || objects.claim({ namespace: pod.namespace, name: claim }) ? [] : [claim];
    })[0];
    const wanted = csiVolumes(pod, objects);
    return { filter: (node) => (missing === undefined ? check(wanted, node, objects) : notFound(pod, missing)) };
  },
  hints: [
    hint('CSINode', ['Add']),
    hint('CSINode', ['Update'], (_pod, { old, now }) => {
      const before = limits(old);
      return [...limits(now)].some(([driver, limit]) => limit > (before.get(driver) ?? 0));
    }),
    hint('Pod', ['Delete'], (_pod, { old }) => {
      if (!old || (old.nodeName === '' && old.nominatedNodeName === '')) return false;
      return old.volumes.some(({ persistentVolumeClaim, ephemeral }) => persistentVolumeClaim ?? ephemeral);
    }),
    hint('PersistentVolumeClaim', ['Add'], (pod, { now }) => {
      if (now?.metadata.namespace !== pod.namespace) return false;
      return pod.volumes.some((volume) => claimNameOf(pod, volume) === now.metadata.name);
    }),
    hint('VolumeAttachment', ['Delete'], (pod) => {
      return pod.volumes.some(({ persistentVolumeClaim }) => persistentVolumeClaim);
    }),
  ],
};

function notFound({ namespace }: PodInfo, claim: string): Rejection {
  return unresolvable(name, `looking up PVC ${namespace}/${claim}: persistentvolumeclaim "${claim}" not found`);
}

function check(wanted: CsiVolumes, node: NodeInfo, objects: ClusterObjects): Rejection | undefined {
  if (wanted.size === 0) return undefined;
  const most = limits(objects.csiNode(node.name));
  if (most.size === 0) return undefined;
  const attached: CsiVolumes = new Map();
  for (const pod of node.pods.values())
    for (const [volume, driver] of csiVolumes(pod, objects)) attached.set(volume, driver);
  for (const { spec } of objects.attachmentsOn(node.name)) {
    const handle = objects.volume(spec.source.persistentVolumeName ?? '')?.spec?.csi?.volumeHandle;
    if (spec.attacher !== '' && handle !== undefined) attached.set(`${spec.attacher}/${handle}`, spec.attacher);
  }
  const counts = new Map<string, number>();
  const count = (driver: string): void => void counts.set(driver, (counts.get(driver) ?? 0) + 1);
  for (const driver of attached.values()) count(driver);
  const added = [...wanted].filter(([volume]) => !attached.has(volume)).map(([, driver]) => driver);
  for (const driver of added) count(driver);
  return added.some((driver) => (counts.get(driver) ?? 0) > (most.get(driver) ?? Number.POSITIVE_INFINITY))
    ? tooMany
    : undefined;
}

function csiVolumes(pod: PodInfo, objects: ClusterObjects): CsiVolumes {
  const volumes: CsiVolumes = new Map();
  for (const volume of pod.volumes) {
    const claimName = claimNameOf(pod, volume);
    const claim = claimName === undefined ? undefined : objects.claim({ namespace: pod.namespace, name: claimName });
    if (!claim) continue;
    const bound = objects.volume(claim.spec?.volumeName ?? '');
    if (bound) {
      const { csi } = bound.spec ?? {};
      if (csi) volumes.set(`${csi.driver}/${csi.volumeHandle}`, csi.driver);
    } else {
      const provisioner = objects.storageClass(storageClassOf(claim))?.provisioner;
      // The volume has no handle yet, because it is not provisioned.
      if (provisioner) volumes.set(`${provisioner}/claim ${pod.namespace}/${claimName}`, provisioner);
    }
  }
  return volumes;
}

function limits(node: CSINode | undefined): ReadonlyMap<string, number> {
  const result = new Map<string, number>();
  for (const driver of node?.spec.drivers ?? []) {
    const { count } = driver.allocatable ?? {};
    if (count !== undefined) result.set(driver.name, count);
  }
  return result;
}
