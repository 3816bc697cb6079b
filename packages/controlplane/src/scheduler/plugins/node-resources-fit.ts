import type { NodeInfo } from '../cluster/node-info.ts';
import type { PodInfo } from '../cluster/pod-info.ts';
import { scoredRequests } from '../cluster/pod-requests.ts';
import type { Resources } from '../cluster/resources.ts';
import { hint, maxNodeScore, type Plugin } from '../framework/plugin.ts';
import type { Rejection } from '../framework/rejection.ts';

const name = 'NodeResourcesFit';

/**
 * Requires enough unreserved resources on the node for the pod's requests, and prefers nodes with the most CPU and memory left.
 */
export const nodeResourcesFit: Plugin = {
  name,
  preFilter: ({ requests }) => ({ filter: (node) => insufficient(requests, node) }),
  preScore({ pod }) {
    const wanted = scoredRequests(pod);
    return {
      score({ allocatable, nonZeroMilliCpu, nonZeroMemory }) {
        const { milliCpu, memory } = allocatable;
        let sum = 0;
        if (milliCpu > 0) sum += free(nonZeroMilliCpu + wanted.milliCpu, milliCpu);
        if (memory > 0) sum += free(nonZeroMemory + wanted.memory, memory);
        const resources = (milliCpu > 0 ? 1 : 0) + (memory > 0 ? 1 : 0);
        return resources === 0 ? 0 : Math.trunc(sum / resources);
      },
    };
  },
  hints: [
    hint('Pod', ['Delete', 'UpdateScaleDown'], (pod, { action, old, now }) => {
      if (action === 'Delete') return old !== undefined && (old.nodeName !== '' || old.nominatedNodeName !== '');
      return now !== undefined && (now.uid === pod.uid || (now.nodeName !== '' && freesAny(pod, { old, now })));
    }),
    hint('Node', ['Add', 'UpdateAllocatable'], ({ requests }, { old, now }) => {
      if (!now || insufficient(requests, now)) return false;
      return !old || hasGrown(requests, { old: old.allocatable, now: now.allocatable });
    }),
  ],
};

/** Returns the percentage of a resource that stays free. */
function free(requested: number, capacity: number): number {
  return requested > capacity ? 0 : Math.trunc(((capacity - requested) * maxNodeScore) / capacity);
}

function insufficient(wanted: Resources, { allocatable, requested, pods }: NodeInfo): Rejection | undefined {
  let reasons: string[] | undefined;
  let resolvable = true;
  const check = (resource: string, amount: number, left: number, capacity: number): void => {
    if (amount === 0 || amount <= left) return;
    reasons ??= [];
    reasons.push(`Insufficient ${resource}`);
    if (amount > capacity) resolvable = false;
  };
  if (pods.size + 1 > allocatable.pods) reasons = ['Too many pods'];
  if (!wanted.isNone) {
    const { milliCpu, memory, ephemeralStorage } = allocatable;
    check('cpu', wanted.milliCpu, milliCpu - requested.milliCpu, milliCpu);
    check('memory', wanted.memory, memory - requested.memory, memory);
    const storage = wanted.ephemeralStorage;
    check('ephemeral-storage', storage, ephemeralStorage - requested.ephemeralStorage, ephemeralStorage);
    for (const [resource, amount] of wanted.scalars) {
      const capacity = allocatable.scalars.get(resource) ?? 0;
      check(resource, amount, capacity - (requested.scalars.get(resource) ?? 0), capacity);
    }
  }
  if (!reasons) return undefined;
  return { plugin: name, code: resolvable ? 'Unschedulable' : 'UnschedulableAndUnresolvable', reasons };
}

/** True if another pod now requests less of a resource that the pending pod requests. */
function freesAny(
  { requests: wanted }: PodInfo,
  { old, now }: { readonly old: PodInfo | undefined; readonly now: PodInfo },
): boolean {
  return old !== undefined && hasGrown(wanted, { old: now.requests, now: old.requests });
}

/** True if the amount of a requested resource, or the number of pods allowed, has grown. */
function hasGrown(wanted: Resources, { old, now }: { readonly old: Resources; readonly now: Resources }): boolean {
  if (now.pods > old.pods) return true;
  if (wanted.milliCpu > 0 && now.milliCpu > old.milliCpu) return true;
  if (wanted.memory > 0 && now.memory > old.memory) return true;
  if (wanted.ephemeralStorage > 0 && now.ephemeralStorage > old.ephemeralStorage) return true;
  for (const [resource, amount] of wanted.scalars) {
    if (amount > 0 && (now.scalars.get(resource) ?? 0) > (old.scalars.get(resource) ?? 0)) return true;
  }
  return false;
}
