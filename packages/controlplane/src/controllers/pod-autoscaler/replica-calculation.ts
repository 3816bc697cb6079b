import { findCondition, isDeleting, Quantity, type Stored } from '@kubewright/apimachinery';
import type { Pod } from '@kubewright/apimachinery/core/v1';
import { podResources } from '../../usage/pod-resources.ts';
import type { PodUsage } from './pod-metrics.ts';

/** Time after a pod's start during which its CPU usage may be misleading. */
const initializationMs = 300_000;
/** A pod that became unready within this time after its start counts as never having been ready. */
const initialReadinessMs = 30_000;

/** Input for {@link byUtilization} and {@link byAverage}. */
export interface CalculationInput {
  readonly currentReplicas: number;
  readonly pods: readonly Stored<Pod>[];
  readonly usages: ReadonlyMap<string, PodUsage>;
  readonly resource: string;
  /** The only container that counts; undefined for all containers. */
  readonly container: string | undefined;
  readonly tolerance: { readonly up: number; readonly down: number };
  readonly nowMs: number;
}

/** A proposed number of replicas, and the measurement that it is based on. */
export interface Proposal {
  readonly replicas: number;
  /** The average usage per pod, in thousandths of the resource's unit. */
  readonly averageMilli: number;
  /** The average usage in percent of the requests; undefined if the target is an amount. */
  readonly utilization: number | undefined;
}

/** The usage of all measured pods divided by the target; 1 if usage and target are equal. */
interface Ratio {
  readonly ratio: number;
  readonly averageMilli: number;
  readonly utilization: number | undefined;
}

/**
 * Proposes a number of replicas from the usage in percent of the requests. Mirrors `GetResourceReplicas` (1.36).
 *
 * @throws Error if there are no pods, no measurements, or a container without a request.
 */
export function byUtilization(input: CalculationInput, targetPercent: number): Proposal {
  // Computed once, and only if it is needed, because a missing request is an error.
  let computed: ReadonlyMap<string, number> | undefined;
  const requestsOfAll = (): ReadonlyMap<string, number> => (computed ??= requests(input));
  return propose(input, {
    // When scaling down, a pod without a measurement counts as if it used its full request.
    assumed: (pod) => (requestsOfAll().get(pod) ?? 0) * (Math.max(100, targetPercent) / 100),
    ratioOf: (usages) => {
      const requested = requestsOfAll();
      const known = [...usages].filter(([pod]) => requested.has(pod));
      const used = known.reduce((sum, [, milli]) => sum + milli, 0);
      const total = known.reduce((sum, [pod]) => sum + (requested.get(pod) ?? 0), 0);
      if (total === 0) throw new Error('no metrics returned matched known pods');
      const utilization = Math.trunc((used * 100) / total);
      return { ratio: utilization / targetPercent, averageMilli: Math.trunc(used / known.length), utilization };
    },
  });
}

/**
 * Proposes a number of replicas from the average usage per pod. Mirrors `GetRawResourceReplicas` (1.36).
 *
 * @throws Error if there are no pods or no measurements.
 */
export function byAverage(input: CalculationInput, targetMilli: number): Proposal {
  return propose(input, {
    assumed: () => targetMilli,
    ratioOf: (usages) => {
      const used = [...usages.values()].reduce((sum, milli) => sum + milli, 0);
      const averageMilli = Math.trunc(used / usages.size);
      return { ratio: averageMilli / targetMilli, averageMilli, utilization: undefined };
    },
  });
}

function propose(
  input: CalculationInput,
  by: { readonly assumed: (pod: string) => number; readonly ratioOf: (usages: ReadonlyMap<string, number>) => Ratio },
): Proposal {
  const { currentReplicas, pods } = input;
  if (pods.length === 0) throw new Error('no pods returned by selector while calculating replica count');
  const { readyCount, unready, missing, measured } = groupPods(input);
  if (measured.size === 0) throw new Error('did not receive metrics for targeted pods (pods might be unready)');
  const { ratio, averageMilli, utilization } = by.ratioOf(measured);
  const proposal = (replicas: number): Proposal => ({ replicas, averageMilli, utilization });
  const upWithUnready = unready.length > 0 && ratio > 1;
  if (!upWithUnready && missing.length === 0) {
    return proposal(isTolerated(input, ratio) ? currentReplicas : Math.ceil(ratio * readyCount));
  }
  // For the other pods, assume a usage that makes the change smaller.
  const assumed = new Map(measured);
  if (ratio < 1) for (const pod of missing) assumed.set(pod, by.assumed(pod));
  if (ratio > 1) for (const pod of missing) assumed.set(pod, 0);
  if (upWithUnready) for (const pod of unready) assumed.set(pod, 0);
  const { ratio: newRatio } = by.ratioOf(assumed);
  const turned = (ratio < 1 && newRatio > 1) || (ratio > 1 && newRatio < 1);
  if (turned || isTolerated(input, newRatio)) return proposal(currentReplicas);
  const replicas = Math.ceil(newRatio * assumed.size);
  const reversed = (newRatio < 1 && replicas > currentReplicas) || (newRatio > 1 && replicas < currentReplicas);
  return proposal(reversed ? currentReplicas : replicas);
}

interface PodGroups {
  readonly readyCount: number;
  readonly unready: readonly string[];
  readonly missing: readonly string[];
  /** The usage of all other pods with a measurement. */
  readonly measured: ReadonlyMap<string, number>;
}

function groupPods({ pods, usages, resource, nowMs }: CalculationInput): PodGroups {
  const measured = new Map([...usages].map(([pod, { milli }]) => [pod, milli]));
  const unready: string[] = [];
  const missing: string[] = [];
  let readyCount = 0;
  for (const pod of pods) {
    const { name } = pod.metadata;
    const usage = usages.get(name);
    if (isDeleting(pod) || pod.status?.phase === 'Failed') measured.delete(name);
    else if (pod.status?.phase === 'Pending') {
      unready.push(name);
      measured.delete(name);
    } else if (!usage) missing.push(name);
    else if (resource === 'cpu' && isStarting(pod, { usage, nowMs })) {
      unready.push(name);
      measured.delete(name);
    } else readyCount++;
  }
  return { readyCount, unready, missing, measured };
}

/** True if a pod started so recently that its CPU usage may not reflect its load. */
function isStarting({ status }: Pod, { usage, nowMs }: { readonly usage: PodUsage; readonly nowMs: number }): boolean {
  const ready = findCondition(status?.conditions, 'Ready');
  if (!ready || !status?.startTime) return true;
  const startMs = Date.parse(status.startTime);
  const changedMs = Date.parse(ready.lastTransitionTime ?? '');
  if (startMs + initializationMs > nowMs) return ready.status === 'False' || usage.atMs < changedMs + usage.windowMs;
  return ready.status === 'False' && startMs + initialReadinessMs > changedMs;
}

function isTolerated({ tolerance }: CalculationInput, ratio: number): boolean {
  return 1 - tolerance.down <= ratio && ratio <= 1 + tolerance.up;
}

/** Returns the requests by pod name, in thousandths of the resource's unit. */
function requests({ pods, resource, container }: CalculationInput): ReadonlyMap<string, number> {
  return new Map(pods.map((pod) => [pod.metadata.name, requestOf(pod, { resource, container })]));
}

function requestOf(
  { metadata, spec }: Pod,
  { resource, container }: Pick<CalculationInput, 'resource' | 'container'>,
): number {
  const { name } = metadata;
  if (container === undefined && spec?.resources?.requests) {
    const amount = own(podResources(spec, 'requests'), resource);
    if (!amount) throw new Error(`missing pod-level request for ${resource} in Pod ${name}`);
    return Number(amount.milliValue());
  }
  const sidecars = (spec?.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === 'Always');
  const containers = [...(spec?.containers ?? []), ...sidecars];
  const counted = container === undefined ? containers : containers.filter((each) => each.name === container);
  if (counted.length === 0) throw new Error(`container ${container} not found in Pod ${name}`);
  return counted.reduce((sum, each) => {
    const text = own(each.resources?.requests ?? {}, resource);
    if (text === undefined) throw new Error(`missing request for ${resource} in container ${each.name} of Pod ${name}`);
    return sum + Number(Quantity.parse(text).milliValue());
  }, 0);
}

/**
 * Looks up an amount by the resource name in the autoscaler. Reads own properties only, so a name such as `constructor` is not
 * found on the prototype.
 */
function own<T>(amounts: Readonly<Record<string, T>>, resource: string): T | undefined {
  return Object.hasOwn(amounts, resource) ? amounts[resource] : undefined;
}
