import { objectKey, type Stored } from '@kubewright/apimachinery';
import { Pod, type PodCondition } from '@kubewright/apimachinery/core/v1';
import { formatTime } from '@kubewright/apimachinery/internal';
import type { RequestContext } from '@kubewright/runtime';

/** True if a pod has succeeded or failed. */
export function isPodEnded({ status }: Pick<Pod, 'status'>): boolean {
  return status?.phase === 'Succeeded' || status?.phase === 'Failed';
}

/** A change to a pod's status. */
export interface PodStatusChange {
  readonly condition?: Pick<PodCondition, 'type' | 'status' | 'reason' | 'message'> | undefined;
  /** The new nominated node; an empty string clears it. @defaultValue unchanged */
  readonly nominatedNodeName?: string | undefined;
}

/** Writes a pod's condition and nominated node. Sends no request if nothing changes. */
export async function patchPodStatus(
  pod: Stored<Pod>,
  { condition, nominatedNodeName }: PodStatusChange,
  { client, clock, signal }: RequestContext,
): Promise<void> {
  const status: Record<string, unknown> = {};
  const present = pod.status?.conditions?.find(({ type }) => type === condition?.type);
  const isSame =
    present?.status === condition?.status &&
    present?.reason === condition?.reason &&
    present?.message === condition?.message;
  if (condition && !isSame) {
    const since = present?.status === condition.status ? present.lastTransitionTime : undefined;
    const lastTransitionTime = since ?? formatTime(clock.now());
    const observedGeneration = pod.metadata.generation;
    status['conditions'] = [{ ...condition, lastProbeTime: null, lastTransitionTime, observedGeneration }];
  }
  if (nominatedNodeName !== undefined && nominatedNodeName !== (pod.status?.nominatedNodeName ?? '')) {
    status['nominatedNodeName'] = nominatedNodeName === '' ? null : nominatedNodeName;
  }
  if (Object.keys(status).length === 0) return;
  await client.resource(Pod).status.patch(objectKey(pod), { type: 'strategic', body: { status } }, { signal });
}
