import {
  formatObjectKey,
  isConditionTrue,
  isDeleting,
  objectKey,
  type Stored,
  setControllerReference,
  systemRandom,
} from '@kubewright/apimachinery';
import { Pod } from '@kubewright/apimachinery/core/v1';
import type { ResourceClient } from '@kubewright/client';
import type { PodSet } from './api/v1/pod-set.ts';
import type { Expectations } from './expectations.ts';
import { slowStart } from './slow-start.ts';

/** The maximum number of pods to create or delete in one pass. Mirrors `BurstReplicas` of Kubernetes 1.36. */
export const burstReplicas = 500;

/** The pods of a set, with their expectations and their client. */
export interface SetPods {
  readonly pods: readonly Stored<Pod>[];
  readonly expectations: Expectations;
  readonly control: ResourceClient<Pod>;
}

/** Creates missing pods, or deletes surplus pods. */
export async function manageReplicas(set: Stored<PodSet>, { pods, expectations, control }: SetPods): Promise<void> {
  const key = formatObjectKey(set.metadata);
  const writeAll = async <P extends Pod>(some: readonly P[], write: (pod: P) => Promise<unknown>): Promise<void> => {
    expectations.expect(key, some);
    const { left, error } = await slowStart(some, write);
    // No event will come for the pods that were not written.
    for (const pod of left) expectations.observed(key, pod.metadata.name);
    if (error !== undefined) throw error;
  };
  const diff = pods.length - (set.spec.replicas ?? 1);
  if (diff < 0) {
    const missing = Array.from({ length: Math.min(-diff, burstReplicas) }, () => podFor(set));
    await writeAll(missing, (pod) => control.create(pod));
  }
  if (diff > 0) {
    const surplus = [...pods].sort(firstToDelete).slice(0, Math.min(diff, burstReplicas));
    await writeAll(surplus, (pod) => control.delete(objectKey(pod), { preconditions: { uid: pod.metadata.uid } }));
  }
}

/**
 * Returns a new pod that the set owns. Chooses the pod's name on the client, so that its event can be matched with the
 * expectation even if it arrives before the response.
 */
function podFor(set: Stored<PodSet>): Pod {
  const { name, namespace } = set.metadata;
  const { image, command } = set.spec;
  const labels = { 'sets.example.com/set': name };
  const metadata = { name: `${name}-${systemRandom.uid().slice(0, 8)}`, namespace, labels };
  const container = { name: 'main', image, ...(command && { command }) };
  return setControllerReference(Pod({ metadata, spec: { containers: [container] } }), set);
}

/** Orders pods: unscheduled, then pending, then not ready, then the youngest. Mirrors the first criteria of `ActivePods` (1.36). */
function firstToDelete(one: Stored<Pod>, other: Stored<Pod>): number {
  const byAge = other.metadata.creationTimestamp.localeCompare(one.metadata.creationTimestamp);
  return progress(one) - progress(other) || byAge;
}

/** Returns how far a pod has come: 0 if it has no node, up to 3 if it is ready. */
function progress(pod: Stored<Pod>): number {
  return [pod.spec?.nodeName, pod.status?.phase === 'Running', isReady(pod)].filter(Boolean).length;
}

/** Returns true for a pod that counts as a replica: it has not ended and is not being deleted. */
export function isActive(pod: Stored<Pod>): boolean {
  return !isDeleting(pod) && !['Succeeded', 'Failed'].includes(pod.status?.phase ?? '');
}

/** Returns true for a pod that is ready. */
export function isReady({ status }: Stored<Pod>): boolean {
  return isConditionTrue(status?.conditions, 'Ready');
}
