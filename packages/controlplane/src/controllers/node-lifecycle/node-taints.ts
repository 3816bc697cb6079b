import type { Node, Taint } from '@kubewright/apimachinery/core/v1';

export const notReady = 'node.kubernetes.io/not-ready';
export const unreachable = 'node.kubernetes.io/unreachable';
const unschedulable = 'node.kubernetes.io/unschedulable';

/** The taint keys by condition type and status. */
const byCondition: ReadonlyMap<string, string> = new Map([
  ['Ready False', notReady],
  ['Ready Unknown', unreachable],
  ['MemoryPressure True', 'node.kubernetes.io/memory-pressure'],
  ['DiskPressure True', 'node.kubernetes.io/disk-pressure'],
  ['PIDPressure True', 'node.kubernetes.io/pid-pressure'],
  ['NetworkUnavailable True', 'node.kubernetes.io/network-unavailable'],
]);
const ours: ReadonlySet<string> = new Set([unschedulable, ...byCondition.values()]);

/**
 * Returns a node's taints, with NoSchedule taints for its conditions and for cordoning, or undefined if nothing
 * changes.
 */
export function taintsOf({ spec, status }: Node, now: string): readonly Taint[] | undefined {
  const wanted = new Set(spec?.unschedulable ? [unschedulable] : []);
  for (const { type, status: value } of status?.conditions ?? []) {
    const key = byCondition.get(`${type} ${value}`);
    if (key !== undefined) wanted.add(key);
  }
  const stored = spec?.taints ?? [];
  const kept = stored.filter(({ key, effect }) => !(effect === 'NoSchedule' && ours.has(key) && !wanted.has(key)));
  for (const { key, effect } of kept) if (effect === 'NoSchedule') wanted.delete(key);
  if (kept.length === stored.length && wanted.size === 0) return undefined;
  const added = [...wanted].map((key): Taint => ({ key, effect: 'NoSchedule', timeAdded: now }));
  return [...kept, ...added];
}

/** True if a node has a NoExecute taint with this key. */
export function isEvicting({ spec }: Node, key: string): boolean {
  return (spec?.taints ?? []).some((taint) => taint.effect === 'NoExecute' && taint.key === key);
}

/**
 * Returns the taints with a NoExecute taint of this key, if given. Removes other NoExecute taints for not-ready and unreachable
 * nodes.
 */
export function withEviction(
  taints: readonly Taint[],
  { key, now }: { readonly key: string | undefined; readonly now: string },
): readonly Taint[] {
  const kept = taints.filter(
    (taint) =>
      taint.effect !== 'NoExecute' || (taint.key !== notReady && taint.key !== unreachable) || taint.key === key,
  );
  if (key === undefined || kept.some((taint) => taint.key === key && taint.effect === 'NoExecute')) return kept;
  return [...kept, { key, effect: 'NoExecute', timeAdded: now }];
}
