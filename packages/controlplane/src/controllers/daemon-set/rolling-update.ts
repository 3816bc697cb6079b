import { isDeleting, type Stored } from '@kubewright/apimachinery';
import type { Pod } from '@kubewright/apimachinery/core/v1';
import { isPodAvailable } from '../pods/pod-state.ts';
import type { DaemonPlan, DaemonState } from './daemon-plan.ts';
import { isUpdated } from './daemon-pod.ts';
import { nodeFit } from './node-fit.ts';
import { surgeCount, unavailableCount } from './rolling-counts.ts';

/** The pods of one node that are not being deleted, split by revision. */
interface NodePods {
  readonly node: string;
  readonly current: readonly Stored<Pod>[];
  readonly old: readonly Stored<Pod>[];
}

/** Decides which old pods to replace now, within the limits of the update strategy. Mirrors `rollingUpdate` (1.36). */
export function planUpdate(state: DaemonState): DaemonPlan {
  const { set, nodes, pods } = state;
  const wanted = nodes.filter((node) => nodeFit(set, node).shouldRun).map(({ metadata }) => metadata.name);
  const surge = surgeCount(set, wanted.length);
  const unavailable = unavailableCount(set, wanted.length);
  const each = [...new Set([...pods.keys(), ...wanted])].sort().map((node) => podsOn(node, state));
  if (surge > 0) return planSurge(each, { state, surge, wanted });
  // At least one pod may be unavailable: with neither surge nor unavailability, the update could not progress.
  return planReplacements(each, { state, unavailable: Math.max(unavailable, wanted.length > 0 ? 1 : 0) });
}

function podsOn(node: string, { pods, set, hash }: DaemonState): NodePods {
  const staying = (pods.get(node) ?? []).filter((pod) => !isDeleting(pod));
  const updated = (pod: Pod): boolean => isUpdated(pod, { set, hash });
  return { node, current: staying.filter(updated), old: staying.filter((pod) => !updated(pod)) };
}

/**
 * Plans to delete old pods, so that the next reconcile creates new pods. Old pods that are already unavailable are deleted
 * regardless of the limit.
 */
function planReplacements(
  nodes: readonly NodePods[],
  { state, unavailable }: { readonly state: DaemonState; readonly unavailable: number },
): DaemonPlan {
  let missing = 0;
  const broken: Stored<Pod>[] = [];
  const candidates: Stored<Pod>[] = [];
  for (const { current, old } of nodes) {
    const [newPod, oldPod] = [current[0], old[0]];
    // The node does not have exactly one pod. `planDaemons` handles surplus and missing pods.
    if (current.length > 1 || old.length > 1 || (newPod === undefined) === (oldPod === undefined)) missing++;
    else if (newPod) missing += isAvailable(newPod, state) ? 0 : 1;
    else if (oldPod && !isAvailable(oldPod, state)) {
      broken.push(oldPod);
      missing++;
    } else if (oldPod) candidates.push(oldPod);
  }
  return { create: [], remove: [...broken, ...candidates.slice(0, Math.max(0, unavailable - missing))] };
}

/** Plans to create new pods alongside old ones, and to delete old pods whose replacement is available. */
function planSurge(
  nodes: readonly NodePods[],
  { state, surge, wanted }: { readonly state: DaemonState; readonly surge: number; readonly wanted: readonly string[] },
): DaemonPlan {
  let surging = 0;
  let available = 0;
  const remove: Stored<Pod>[] = [];
  const misplaced: Stored<Pod>[] = [];
  const urgent: string[] = [];
  const candidates: string[] = [];
  const fitting = new Set(wanted);
  for (const { node, current, old } of nodes) {
    if (current.length > 1 || old.length > 1) {
      surging++;
      continue;
    }
    const [newPod, oldPod] = [current[0], old[0]];
    const counted = oldPod ?? newPod;
    if (counted && isAvailable(counted, state)) available++;
    if (!oldPod) continue;
    if (newPod) {
      if (isAvailable(newPod, state)) remove.push(oldPod);
      else surging++;
    } else if (fitting.has(node)) (isAvailable(oldPod, state) ? candidates : urgent).push(node);
    else (isAvailable(oldPod, state) ? misplaced : remove).push(oldPod);
  }
  // Delete an old pod from a node where it no longer belongs, once enough pods are available elsewhere.
  remove.push(...misplaced.slice(0, Math.max(0, available - wanted.length)));
  return { create: [...urgent, ...candidates.slice(0, Math.max(0, surge - surging))], remove };
}

function isAvailable(pod: Pod, { set, nowMs }: DaemonState): boolean {
  return isPodAvailable(pod, { minReadySeconds: set.spec?.minReadySeconds ?? 0, nowMs });
}
