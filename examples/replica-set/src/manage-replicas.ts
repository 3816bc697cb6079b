import type { Stored } from '@kubewright/apimachinery';
import { Pod } from '@kubewright/apimachinery/core/v1';
import type { PodSet } from './api/v1/pod-set.ts';
import type { Expectations } from './expectations.ts';
import { slowStart } from './slow-start.ts';

/** The most pods to create or delete in one pass. Mirrors `BurstReplicas` of Kubernetes 1.36. */
export const burstReplicas = 500;

/** The two writes that {@link manageReplicas} makes. */
export interface PodControl {
  create(pod: Pod): Promise<unknown>;
  delete(pod: Stored<Pod>): Promise<unknown>;
}

/** Creates the pods that are missing, or deletes those that are too many. */
export async function manageReplicas(
  set: Stored<PodSet>,
  {
    pods,
    expectations,
    control,
  }: {
    readonly pods: readonly Stored<Pod>[];
    readonly expectations: Expectations;
    readonly control: PodControl;
  },
): Promise<void> {
  const key = `${set.metadata.namespace}/${set.metadata.name}`;
  const diff = pods.length - (set.spec.replicas ?? 1);
  if (diff < 0) {
    const missing = Math.min(-diff, burstReplicas);
    expectations.expectCreations(key, missing);
    const { successes, error } = await slowStart(missing, () => control.create(podFor(set)));
    // No event will come for the pods that were not created.
    for (let skipped = successes; skipped < missing; skipped++) expectations.creationObserved(key);
    if (error !== undefined) throw error;
  }
  if (diff > 0) {
    const surplus = [...pods].sort(firstToDelete).slice(0, Math.min(diff, burstReplicas));
    const uids = surplus.map(({ metadata }) => metadata.uid);
    expectations.expectDeletions(key, uids);
    const results = await Promise.allSettled(surplus.map((pod) => control.delete(pod)));
    for (const [at, { status }] of results.entries()) {
      if (status === 'rejected') expectations.deletionObserved(key, uids[at] ?? '');
    }
    const failure = results.find((result) => result.status === 'rejected');
    if (failure) throw failure.reason;
  }
}

/** Returns a new pod of a set, which owns it. */
function podFor({ apiVersion, kind, metadata, spec }: Stored<PodSet>): Pod {
  const { name, namespace, uid } = metadata;
  const { image, command } = spec;
  return Pod({
    metadata: {
      generateName: `${name}-`,
      namespace,
      labels: { 'sets.example.com/set': name },
      ownerReferences: [{ apiVersion, kind, name, uid, controller: true, blockOwnerDeletion: true }],
    },
    spec: { containers: [{ name: 'main', image, ...(command && { command }) }] },
  });
}

/** Orders pods: unscheduled, then pending, then not ready, then the youngest. Mirrors the first criteria of `ActivePods` (1.36). */
function firstToDelete(one: Stored<Pod>, other: Stored<Pod>): number {
  const [a, b] = [rank(one), rank(other)];
  if (a !== b) return a - b;
  return Date.parse(other.metadata.creationTimestamp) - Date.parse(one.metadata.creationTimestamp);
}

function rank(pod: Stored<Pod>): number {
  if (!pod.spec?.nodeName) return 0;
  if (pod.status?.phase !== 'Running') return 1;
  return isReady(pod) ? 3 : 2;
}

/** True for a pod that is ready. */
export function isReady({ status }: Stored<Pod>): boolean {
  return status?.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True') ?? false;
}
