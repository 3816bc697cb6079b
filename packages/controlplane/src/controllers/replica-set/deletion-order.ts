import type { Stored } from '@kubewright/apimachinery';
import type { Pod } from '@kubewright/apimachinery/core/v1';
import { deletionCostAnnotation } from '../pods/pod-digests.ts';
import { isPodReady, maxRestarts, readySinceMs } from '../pods/pod-state.ts';

/** A pod, ranked by the number of its siblings on the same node. */
export interface RankedPod {
  readonly pod: Stored<Pod>;
  readonly rank: number;
}

const phaseOrder: ReadonlyMap<string, number> = new Map([
  ['Pending', 0],
  ['Unknown', 1],
  ['Running', 2],
]);

/**
 * Returns a comparison function that sorts the pods to delete to the front. The criteria, in order: unassigned pods;
 * Pending before Unknown before Running; pods that are not ready; a lower deletion cost; more siblings on the node;
 * ready for less time; more restarts; younger pods. Ages are compared by order of magnitude, so that the choice varies.
 * Mirrors `ActivePodsWithRanks`.
 */
function deletionOrder(nowMs: number): (a: RankedPod, b: RankedPod) => number {
  return (a, b) => {
    const order =
      Number(Boolean(a.pod.spec?.nodeName)) - Number(Boolean(b.pod.spec?.nodeName)) ||
      phase(a.pod) - phase(b.pod) ||
      Number(isPodReady(a.pod)) - Number(isPodReady(b.pod)) ||
      deletionCost(a.pod) - deletionCost(b.pod) ||
      b.rank - a.rank;
    if (order !== 0) return order;
    const readiness = byAge(readySinceMs(a.pod), readySinceMs(b.pod), nowMs);
    if (readiness !== undefined) return readiness || byUid(a.pod, b.pod);
    const restarts = maxRestarts(b.pod) - maxRestarts(a.pod);
    if (restarts !== 0) return restarts;
    return byAge(createdMs(a.pod), createdMs(b.pod), nowMs) || byUid(a.pod, b.pod);
  };
}

/** Returns the `count` pods to delete. `siblings` are the pods of all replica sets with the same owner. */
export function podsToDelete(
  pods: readonly Stored<Pod>[],
  options: { readonly count: number; readonly siblings: readonly Pod[]; readonly nowMs: number },
): readonly Stored<Pod>[] {
  const { count, siblings, nowMs } = options;
  if (count >= pods.length) return pods;
  const onNode = new Map<string, number>();
  for (const { spec } of siblings) {
    if (spec?.nodeName) onNode.set(spec.nodeName, (onNode.get(spec.nodeName) ?? 0) + 1);
  }
  return pods
    .map((pod) => ({ pod, rank: onNode.get(pod.spec?.nodeName ?? '') ?? 0 }))
    .sort(deletionOrder(nowMs))
    .slice(0, count)
    .map(({ pod }) => pod);
}

/** Compares ages by order of magnitude. Returns undefined for equal times, so that the next criterion decides. */
function byAge(a: number | undefined, b: number | undefined, nowMs: number): number | undefined {
  if (a === b) return undefined;
  if (a === undefined || b === undefined) return a === undefined ? -1 : 1;
  return magnitude(nowMs - a) - magnitude(nowMs - b);
}

function magnitude(ageMs: number): number {
  return ageMs <= 0 ? -1 : Math.floor(Math.log2(ageMs * 1e6));
}

function byUid(a: Stored<Pod>, b: Stored<Pod>): number {
  return a.metadata.uid < b.metadata.uid ? -1 : 1;
}

function phase({ status }: Pod): number {
  return phaseOrder.get(status?.phase ?? 'Pending') ?? 0;
}

/** Returns a pod's deletion cost, or 0 if its annotation is not a 32-bit integer in canonical form. */
function deletionCost({ metadata }: Pod): number {
  const text = metadata.annotations?.[deletionCostAnnotation] ?? '0';
  const cost = /^(-?[1-9]\d{0,9}|0)$/.test(text) ? Number(text) : 0;
  return cost === Math.trunc(cost) && Math.abs(cost) <= 0x7fffffff ? cost : 0;
}

function createdMs({ metadata }: Pod): number | undefined {
  return metadata.creationTimestamp ? Date.parse(metadata.creationTimestamp) : undefined;
}
