import { LabelSelector } from '@kubewright/apimachinery';
import type { PodDisruptionBudget } from '@kubewright/apimachinery/policy/v1';
import type { NodeInfo } from '../cluster/node-info.ts';
import type { PodInfo } from '../cluster/pod-info.ts';
import type { PodFilters } from '../framework/pod-filters.ts';
import { type Rejection, unresolvable } from '../framework/rejection.ts';

/** The pods to evict from a node to make room for another pod, the most important first. */
export interface Victims {
  readonly node: NodeInfo;
  readonly pods: readonly PodInfo[];
  /** The number of these evictions that violate a disruption budget. */
  readonly violations: number;
}

/** Returns the time at which a pod started, in milliseconds. */
export type StartTimes = (pod: PodInfo) => number;

/** Options for {@link selectVictims}. */
export interface VictimOptions {
  readonly budgets: readonly PodDisruptionBudget[];
  readonly startMs: StartTimes;
}

const noVictims = unresolvable('DefaultPreemption', 'No preemption victims found for incoming pod');

/**
 * Selects the pods of lower priority to evict from a node so that a pod fits. First removes all of them, then adds back as many
 * as possible: first the pods whose eviction would violate a disruption budget, and in each group the most important pods first.
 */
export function selectVictims(original: PodFilters, node: NodeInfo, options: VictimOptions): Victims | Rejection {
  const { priority: own } = original.pod;
  if (node.lowestPriority >= own) return noVictims;
  const lower = [...node.pods.values()].filter(({ priority }) => priority < own);
  const filters = original.clone();
  const copy = node.clone();
  for (const pod of lower) filters.removePod(pod, copy);
  const rejection = filters.check(copy);
  if (rejection) return rejection;
  const { startMs } = options;
  lower.sort((a, b) => compareImportance(a, b, startMs));
  const { violating, others } = splitByBudgets(lower, options.budgets);
  const mustGo = (pod: PodInfo): boolean => {
    filters.addPod(pod, copy);
    if (filters.check(copy) === undefined) return false;
    filters.removePod(pod, copy);
    return true;
  };
  const violations = violating.filter(mustGo);
  const pods = [...violations, ...others.filter(mustGo)].sort((a, b) => compareImportance(a, b, startMs));
  return { node, pods, violations: violations.length };
}

/** Orders pods by importance: higher priority first, then earlier start. */
function compareImportance(a: PodInfo, b: PodInfo, startMs: StartTimes): number {
  return b.priority - a.priority || startMs(a) - startMs(b);
}

/** Separates the pods whose eviction violates a disruption budget from the others, keeping the order. */
function splitByBudgets(
  pods: readonly PodInfo[],
  budgets: readonly PodDisruptionBudget[],
): { readonly violating: readonly PodInfo[]; readonly others: readonly PodInfo[] } {
  const left = budgets.map((budget) => ({
    budget,
    selector: LabelSelector.ofObject(budget.spec?.selector),
    allowed: budget.status?.disruptionsAllowed ?? 0,
  }));
  const violating: PodInfo[] = [];
  const others: PodInfo[] = [];
  for (const pod of pods) {
    let violates = false;
    for (const each of Object.keys(pod.labels).length > 0 ? left : []) {
      const { budget, selector } = each;
      if (budget.metadata.namespace !== pod.namespace || selector.isEmpty || !selector.matches(pod.labels)) continue;
      if (budget.status?.disruptedPods && Object.hasOwn(budget.status.disruptedPods, pod.name)) continue;
      each.allowed--;
      if (each.allowed < 0) violates = true;
    }
    (violates ? violating : others).push(pod);
  }
  return { violating, others };
}
