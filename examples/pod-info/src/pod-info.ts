import { objectKey, type Stored } from '@kubewright/apimachinery';
import { ReplicaSet } from '@kubewright/apimachinery/apps/v1';
import { Pod } from '@kubewright/apimachinery/core/v1';
import { cached, controller, enqueueMapped, watch } from '@kubewright/runtime';
import { PodInfo } from './api/v1alpha1/pod-info.ts';
import { type FindReplicaSet, workloadOf } from './workload.ts';

/** The only fields of a pod, other than metadata, that are kept in memory. */
const fields = ['spec.nodeName', 'spec.hostNetwork', 'status.podIPs'];

/** Keeps a PodInfo for every pod. The pod owns it, so it is deleted with the pod. */
export const podInfo = controller({
  name: 'pod-info',
  for: Pod,
  cached: { fields },
  owns: [PodInfo],
  // Only the owner references of ReplicaSets matter, so only their metadata is cached.
  caches: [cached(ReplicaSet, { metadataOnly: true })],
  async reconcile(pod, ctx) {
    const { namespace } = pod.metadata;
    const replicaSets = ctx.cache.metadata(ReplicaSet);
    await ctx.apply(infoOf(pod, (name) => replicaSets.get({ namespace, name })));
  },
});

/** Copies the addresses of a pod to the status of its PodInfo. */
export const podAddresses = controller({
  name: 'pod-addresses',
  for: PodInfo,
  watches: [
    watch(
      Pod,
      enqueueMapped(({ key }) => [key]),
      { fields },
    ),
  ],
  async reconcile(info, ctx) {
    const pod = await ctx.get(Pod, objectKey(info));
    // The PodInfo is about to be deleted with its pod.
    if (!pod) return;
    const podIPs = (pod.status?.podIPs ?? []).map(({ ip }) => ip);
    await ctx.setStatus({ podIPs });
  },
});

/** Returns the PodInfo of a pod. */
export function infoOf(pod: Stored<Pod>, find: FindReplicaSet): PodInfo {
  const { name, namespace, labels = {} } = pod.metadata;
  const { nodeName, hostNetwork = false } = pod.spec ?? {};
  const spec = { hostNetwork, workload: workloadOf(pod, find), ...(nodeName && { nodeName }) };
  return PodInfo({ metadata: { name, namespace, labels }, spec });
}
