import { objectKey } from '@kubewright/apimachinery';
import { Pod, type PodStatus } from '@kubewright/apimachinery/core/v1';
import { defined, sameJson } from '@kubewright/apimachinery/internal';
import type { KubernetesClient } from '@kubewright/client';
import type { PodWorker } from './pod-worker.ts';

/** Writes a pod's status unless the API already has it, like the kubelet's status manager. */
export async function writeStatus(
  worker: PodWorker,
  status: PodStatus,
  { pod, client, signal }: { readonly pod: Pod; readonly client: KubernetesClient; readonly signal: AbortSignal },
): Promise<void> {
  if (sameJson(status, worker.written) && !isMarkedNotReady(pod, status)) return;
  const metadata = { uid: worker.uid, ...annotationsOf(worker) };
  const body = { metadata, status: statusPatch(status) };
  await client.resource(Pod).status.patch(objectKey(pod), { type: 'strategic', body }, { signal });
  worker.written = status;
}

/** Returns the annotation with the address at which this machine reaches the pod. */
function annotationsOf({ hostAddress }: PodWorker): { readonly annotations?: Readonly<Record<string, string>> } {
  return hostAddress === undefined ? {} : { annotations: { 'kubewright.dev/host-address': hostAddress } };
}

/** Clears unset reason and message fields explicitly, because the API merges conditions field by field. */
function statusPatch(status: PodStatus): object {
  const conditions = status.conditions?.map((condition) => ({ reason: null, message: null, ...condition }));
  return { ...status, ...defined({ conditions }) };
}

/** True if the node lifecycle controller marked a pod not ready while this node sent no heartbeats. */
function isMarkedNotReady(pod: Pod, status: PodStatus): boolean {
  const readyOf = ({ conditions }: PodStatus) => conditions?.find(({ type }) => type === 'Ready')?.status;
  return readyOf(status) === 'True' && pod.status !== undefined && readyOf(pod.status) === 'False';
}
