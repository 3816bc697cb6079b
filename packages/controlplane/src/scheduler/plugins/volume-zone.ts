import type { PersistentVolume } from '@kubewright/apimachinery/core/v1';
import type { PendingPod } from '../cluster/pod-info.ts';
import type { ClusterObjects } from '../framework/cluster-view.ts';
import { hint, type Plugin } from '../framework/plugin.ts';
import { type Rejection, unresolvable } from '../framework/rejection.ts';
import { storageClassOf } from '../volumes/storage-class-of.ts';

const name = 'VolumeZone';
const conflict = unresolvable(name, 'node(s) had no available volume zone');

const betaZone = 'failure-domain.beta.kubernetes.io/zone';
const betaRegion = 'failure-domain.beta.kubernetes.io/region';
const zone = 'topology.kubernetes.io/zone';
const region = 'topology.kubernetes.io/region';
const topologyLabels = [betaZone, betaRegion, zone, region];
const successors: Readonly<Record<string, string>> = { [betaZone]: zone, [betaRegion]: region };

interface Topology {
  readonly key: string;
  readonly values: ReadonlySet<string>;
}

/** Requires the node to be in a zone and region named by the labels of the pod's volumes. */
export const volumeZone: Plugin = {
  name,
  preFilter(pod, { objects }) {
    const topologies = topologiesOf(pod, objects);
    if (!Array.isArray(topologies)) return topologies;
    if (topologies.length === 0) return undefined;
    return {
      filter({ labels }) {
        if (!topologyLabels.some((label) => Object.hasOwn(labels, label))) return undefined;
        const fits = topologies.every(({ key, values }) => {
          const value = labels[key] ?? labels[successors[key] ?? key];
          return value !== undefined && values.has(value);
        });
        return fits ? undefined : conflict;
      },
    };
  },
  hints: [
    hint('StorageClass', ['Add'], (_pod, { now }) => now?.volumeBindingMode === 'WaitForFirstConsumer'),
    hint('Node', ['Add', 'UpdateLabel']),
    hint('PersistentVolumeClaim', ['Add', 'Update'], (pod, { now }) => {
      if (now?.metadata.namespace !== pod.namespace) return false;
      return pod.volumes.some(({ persistentVolumeClaim: claim }) => claim?.claimName === now.metadata.name);
    }),
    hint('PersistentVolume', ['Add', 'Update'], (_pod, { old, now }) => {
      const labelsOf = (volume: PersistentVolume | undefined) =>
        topologyLabels.map((key) => volume?.metadata.labels?.[key]);
      return !old || JSON.stringify(labelsOf(old)) !== JSON.stringify(labelsOf(now));
    }),
  ],
};

/** Returns the zones and regions required by the pod's bound volumes, or a rejection if the pod cannot be scheduled yet. */
function topologiesOf(pod: PendingPod, objects: ClusterObjects): Topology[] | Rejection {
  const topologies: Topology[] = [];
  for (const { persistentVolumeClaim } of pod.volumes) {
    if (!persistentVolumeClaim) continue;
    const { claimName } = persistentVolumeClaim;
    if (claimName === '') return unresolvable(name, 'PersistentVolumeClaim had no name');
    const claim = objects.claim({ namespace: pod.namespace, name: claimName });
    if (!claim) return unresolvable(name, `persistentvolumeclaim "${claimName}" not found`);
    const { volumeName } = claim.spec ?? {};
    if (!volumeName) {
      const rejection = immediateBinding(storageClassOf(claim), objects);
      if (rejection) return rejection;
      continue;
    }
    const volume = objects.volume(volumeName);
    if (!volume) return unresolvable(name, `persistentvolume "${volumeName}" not found`);
    for (const key of topologyLabels) {
      const values = volume.metadata.labels?.[key]?.split('__').map((value) => value.trim());
      if (values && !values.includes('')) topologies.push({ key, values: new Set(values) });
    }
  }
  return topologies;
}

/** Returns undefined if the class waits for a pod before binding its claims, otherwise a rejection. */
function immediateBinding(className: string, objects: ClusterObjects): Rejection | undefined {
  if (className === '') return unresolvable(name, 'PersistentVolumeClaim had no pv name and storageClass name');
  const storageClass = objects.storageClass(className);
  if (!storageClass) return unresolvable(name, `storageclass.storage.k8s.io "${className}" not found`);
  if (!storageClass.volumeBindingMode)
    return unresolvable(name, `VolumeBindingMode not set for StorageClass "${className}"`);
  const waits = storageClass.volumeBindingMode === 'WaitForFirstConsumer';
  return waits ? undefined : unresolvable(name, 'PersistentVolume had no name');
}
