import type { Container, Pod } from '@kubewright/apimachinery/core/v1';
import { type Amounts, addAmounts, amounts, type ResourceList, Resources, raiseAmounts } from './resources.ts';

/** When nodes are scored, containers without requests count as requesting 0.1 CPU and 200 MiB. */
const assumedMilliCpu = 100;
const assumedMemory = 200 * 1024 * 1024;

/** A pod's requests; the `nonZero` amounts, used for scoring, assume a default for containers that request none. */
export interface PodRequests {
  readonly requests: Resources;
  readonly nonZeroMilliCpu: number;
  readonly nonZeroMemory: number;
}

/**
 * Returns a pod's requests: the sum of its containers or the peak of its init containers, whichever is larger, plus overhead.
 * Restartable init containers run alongside the other containers and count towards both the sum and the peak. Pod-level requests
 * replace those of the containers. A container that is being resized counts with the largest of its desired, allocated and actual
 * requests.
 */
export function podRequests(pod: Pod): PodRequests {
  const requests = totalRequests(pod, undefined);
  const missing: Amounts = new Map();
  const hasOwn = hasPodLevelRequests(pod);
  if (!hasOwn || !requests.has('cpu')) missing.set('cpu', assumedMilliCpu);
  if (!hasOwn || !requests.has('memory')) missing.set('memory', assumedMemory);
  const nonZero = missing.size === 0 ? requests : totalRequests(pod, missing);
  return {
    requests: Resources.of(requests),
    nonZeroMilliCpu: Math.ceil(nonZero.get('cpu') ?? 0),
    nonZeroMemory: Math.ceil(nonZero.get('memory') ?? 0),
  };
}

/**
 * Returns a pod's requests for scoring nodes by their free resources. Mirrors an oversight of kube-scheduler 1.36: only
 * this score ignores pod-level requests.
 */
export function scoredRequests(pod: Pod): { readonly milliCpu: number; readonly memory: number } {
  const missing: Amounts = new Map([
    ['cpu', assumedMilliCpu],
    ['memory', assumedMemory],
  ]);
  const { milliCpu, memory } = Resources.of(totalRequests(pod, missing, { podLevel: false }));
  return { milliCpu, memory };
}

function totalRequests(pod: Pod, missing: Amounts | undefined, { podLevel } = { podLevel: true }): Amounts {
  const { spec } = pod;
  const total: Amounts = new Map();
  for (const container of spec?.containers ?? []) addAmounts(total, containerRequests(pod, container, missing));
  if (spec?.initContainers?.length) {
    const sidecars: Amounts = new Map();
    const peak: Amounts = new Map();
    for (const container of spec.initContainers) {
      const own = containerRequests(pod, container, missing);
      if (container.restartPolicy === 'Always') {
        addAmounts(total, own);
        addAmounts(sidecars, own);
        raiseAmounts(peak, sidecars);
      } else {
        addAmounts(own, sidecars);
        raiseAmounts(peak, own);
      }
    }
    raiseAmounts(total, peak);
  }
  if (podLevel && hasPodLevelRequests(pod)) replaceByPodLevel(total, pod);
  if (spec?.overhead) addAmounts(total, amounts(spec.overhead));
  return total;
}

function containerRequests(pod: Pod, container: Container, missing: Amounts | undefined): Amounts {
  const desired = amounts(container.resources?.requests);
  const requests = resized(pod, container, desired);
  if (missing) for (const [name, amount] of missing) if (!requests.has(name)) requests.set(name, amount);
  return requests;
}

/** Returns a container's requests, taking a resize in progress into account. */
function resized(pod: Pod, container: Container, desired: Amounts): Amounts {
  const { status } = pod;
  const isSidecar = container.restartPolicy === 'Always';
  const list = isSidecar ? status?.initContainerStatuses : status?.containerStatuses;
  const own = list?.find(({ name }) => name === container.name);
  if (!own?.resources) return desired;
  const actual = amounts(own.resources.requests);
  const allocated = amounts(own.allocatedResources);
  return effective(pod, { desired, actual, allocated });
}

function effective(
  pod: Pod,
  { desired, actual, allocated }: { readonly desired: Amounts; readonly actual: Amounts; readonly allocated: Amounts },
): Amounts {
  const infeasible = pod.status?.conditions?.some(
    ({ type, reason }) => type === 'PodResizePending' && reason === 'Infeasible',
  );
  const result: Amounts = infeasible ? new Map() : desired;
  raiseAmounts(result, actual);
  raiseAmounts(result, allocated);
  return result;
}

function isPodLevelResource(name: string): boolean {
  return name === 'cpu' || name === 'memory' || name.startsWith('hugepages-');
}

function hasPodLevelRequests(pod: Pod): boolean {
  return Object.keys(podLevelRequests(pod) ?? {}).some(isPodLevelResource);
}

function podLevelRequests(pod: Pod): ResourceList | undefined {
  return pod.spec?.resources?.requests;
}

function replaceByPodLevel(total: Amounts, pod: Pod): void {
  let requests = amounts(podLevelRequests(pod));
  const { status } = pod;
  if (status?.resources) {
    const actual = amounts(status.resources.requests);
    requests = effective(pod, { desired: requests, actual, allocated: amounts(status.allocatedResources) });
  }
  for (const [name, amount] of requests) if (isPodLevelResource(name)) total.set(name, amount);
}
