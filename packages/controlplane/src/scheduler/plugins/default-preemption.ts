import type { Random } from '@kubewright/apimachinery';
import type { NodeInfo } from '../cluster/node-info.ts';
import type { PendingPod } from '../cluster/pod-info.ts';
import type { ClusterView } from '../framework/cluster-view.ts';
import { type Diagnosis, explain, resolvableNodes } from '../framework/fit-error.ts';
import { hint, type Plugin } from '../framework/plugin.ts';
import type { PodFilters } from '../framework/pod-filters.ts';
import { type Rejection, unresolvable } from '../framework/rejection.ts';
import { pickVictims } from '../preemption/pick-victims.ts';
import { type StartTimes, selectVictims, type Victims } from '../preemption/victims.ts';

const name = 'DefaultPreemption';

/**
 * A plugin that neither filters nor scores. It only subscribes to pod deletions, so that the queue rechecks the gate of
 * pods that wait for their victims to be deleted. The hint itself never retries a pod.
 */
export const defaultPreemption: Plugin = { name, hints: [hint('Pod', ['Delete'], () => false)] };

/** Result of {@link preempt}: the pods to evict, or why no eviction helps. */
export type Preemption =
  | { readonly victims: Victims }
  /** If `clearsNomination` is set, the pod's earlier nomination is cleared. */
  | { readonly message: string; readonly clearsNomination: boolean };

/** Options for {@link preempt}. */
export interface PreemptOptions {
  readonly diagnosis: Diagnosis;
  readonly filters: PodFilters | undefined;
  readonly view: ClusterView;
  readonly random: Random;
  readonly nowMs: number;
}

const minCandidates = 100;
/** The result of the DynamicResources plugin, which kube-scheduler calls before this plugin. */
const noClaims = 'no new claims to deallocate';
/**
 * The error of the DynamicResources plugin for a pod that an earlier plugin rejected on all nodes. In kube-scheduler,
 * this error ends the search for victims, so the pod evicts no other pod.
 */
const noClaimState = 'not found';
const notHelpful = unresolvable(name, 'Preemption is not helpful for scheduling');

/** Looks for pods of lower priority whose eviction makes room for a pod that fits no node. */
export function preempt(pod: PendingPod, options: PreemptOptions): Preemption {
  const { diagnosis, filters, view, nowMs } = options;
  if (!filters) return { message: noClaimState, clearsNomination: false };
  const obstacle = ineligibility(pod, diagnosis, view);
  if (obstacle) return { message: `${noClaims}, preemption: ${obstacle}`, clearsNomination: false };
  const startMs = startTimes(view, nowMs);
  const found = findCandidates(filters, startMs, options);
  const victims = pickVictims(found.candidates, startMs);
  if (victims) return { victims };
  const failure = { allNodes: diagnosis.allNodes, nodes: found.rejected, others: notHelpful };
  return { message: `${noClaims}, preemption: ${explain(failure)}`, clearsNomination: true };
}

/** Returns why a pod may not preempt others, or undefined if it may. */
function ineligibility(
  pod: PendingPod,
  { nodes, others }: Diagnosis,
  { cache, objects }: ClusterView,
): string | undefined {
  if (pod.pod.spec?.preemptionPolicy === 'Never') return 'not eligible due to preemptionPolicy=Never.';
  if (pod.nominatedNodeName === '') return undefined;
  if ((nodes.get(pod.nominatedNodeName) ?? others)?.code === 'UnschedulableAndUnresolvable') return undefined;
  for (const victim of cache.node(pod.nominatedNodeName)?.pods.values() ?? []) {
    if (victim.priority >= pod.priority || !victim.isTerminating) continue;
    const target = objects.pod(victim)?.status?.conditions?.find(({ type }) => type === 'DisruptionTarget');
    if (target?.status === 'True' && target.reason === 'PreemptionByScheduler')
      return 'not eligible due to a terminating pod on the nominated node.';
  }
  return undefined;
}

function findCandidates(
  filters: PodFilters,
  startMs: StartTimes,
  { diagnosis, view, random }: PreemptOptions,
): { readonly candidates: readonly Victims[]; readonly rejected: ReadonlyMap<string, Rejection> } {
  const nodes = resolvableNodes(diagnosis, view.cache.nodes);
  const enough = Math.min(nodes.length, Math.max(minCandidates, Math.trunc(nodes.length / 10)));
  const offset = Math.floor(random.next() * nodes.length);
  const budgets = nodes.length === 0 ? [] : view.objects.disruptionBudgets();
  const harmless: Victims[] = [];
  const violating: Victims[] = [];
  const rejected = new Map<string, Rejection>();
  for (let i = 0; i < nodes.length; i++) {
    const node = nodes[(offset + i) % nodes.length] as NodeInfo; // The index is always in range.
    const result = selectVictims(filters, node, { budgets, startMs });
    if ('reasons' in result) rejected.set(node.name, result);
    else if (result.pods.length === 0)
      rejected.set(node.name, unresolvable(name, `expected at least one victim pod on node "${node.name}"`));
    else (result.violations === 0 ? harmless : violating).push(result);
    if (harmless.length > 0 && harmless.length + violating.length >= enough) break;
  }
  return { candidates: [...harmless, ...violating], rejected };
}

/** Returns a function that reads a pod's start time from its status. A pod that has not started counts as started now. */
function startTimes({ objects }: ClusterView, nowMs: number): StartTimes {
  const known = new Map<string, number>();
  return (pod) => {
    const present = known.get(pod.uid);
    if (present !== undefined) return present;
    const startTime = objects.pod(pod)?.status?.startTime;
    const start = startTime === undefined ? nowMs : Date.parse(startTime);
    known.set(pod.uid, start);
    return start;
  };
}
