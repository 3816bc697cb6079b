import { LabelSelector } from '@kubewright/apimachinery';
import type { TopologySpreadConstraint } from '@kubewright/apimachinery/core/v1';
import type { NodeInfo } from '../cluster/node-info.ts';
import type { CountedPods } from '../cluster/pod-counts.ts';
import type { PendingPod } from '../cluster/pod-info.ts';
import type { ClusterObjects } from '../framework/cluster-view.ts';
import { requiredNodes, type SelectedNode } from './node-selector.ts';
import { untoleratedTaint } from './tolerations.ts';

/** A topology spread constraint with its selector parsed and defaults set. */
export interface SpreadConstraint {
  readonly maxSkew: number;
  readonly topologyKey: string;
  readonly selector: LabelSelector;
  readonly minDomains: number;
  /** If true, pods on nodes that do not match the pod's node affinity do not count. */
  readonly honorsAffinity: boolean;
  /** If true, pods on nodes with taints that the pod does not tolerate do not count. */
  readonly honorsTaints: boolean;
}

export const hostnameKey = 'kubernetes.io/hostname';

/** The cluster's default constraints, for pods that have none and belong to a workload. */
const defaults = [
  { topologyKey: hostnameKey, maxSkew: 3 },
  { topologyKey: 'topology.kubernetes.io/zone', maxSkew: 5 },
];

/** Returns the constraints that a node must satisfy. */
export function hardConstraints(pod: PendingPod): readonly SpreadConstraint[] {
  return ownConstraints(pod, 'DoNotSchedule');
}

/** Returns the constraints used for scoring: the pod's own, or the cluster's defaults if it has none. */
export function softConstraints(pod: PendingPod, objects: ClusterObjects): readonly SpreadConstraint[] {
  if (hasOwnConstraints(pod)) return ownConstraints(pod, 'ScheduleAnyway');
  const selector = objects.workloadSelector(pod);
  if (selector.isEmpty || selector.isNothing) return [];
  return defaults.map((each) => ({ ...each, selector, minDomains: 1, honorsAffinity: true, honorsTaints: false }));
}

/** True if the pod specifies constraints, which replace the cluster's defaults. */
export function hasOwnConstraints({ pod }: PendingPod): boolean {
  return (pod.spec?.topologySpreadConstraints?.length ?? 0) > 0;
}

function ownConstraints(
  { pod, labels }: PendingPod,
  whenUnsatisfiable: TopologySpreadConstraint['whenUnsatisfiable'],
): readonly SpreadConstraint[] {
  const own = pod.spec?.topologySpreadConstraints ?? [];
  return own
    .filter((constraint) => constraint.whenUnsatisfiable === whenUnsatisfiable)
    .map((constraint) => ({
      maxSkew: constraint.maxSkew,
      topologyKey: constraint.topologyKey,
      selector: selectorOf(constraint, labels),
      minDomains: constraint.minDomains ?? 1,
      honorsAffinity: (constraint.nodeAffinityPolicy ?? 'Honor') === 'Honor',
      honorsTaints: constraint.nodeTaintsPolicy === 'Honor',
    }));
}

function selectorOf(
  { labelSelector, matchLabelKeys = [] }: TopologySpreadConstraint,
  labels: Readonly<Record<string, string>>,
): LabelSelector {
  if (!labelSelector) return LabelSelector.nothing;
  const added = matchLabelKeys.flatMap((key) => {
    const value = Object.hasOwn(labels, key) ? labels[key] : undefined;
    return value === undefined ? [] : [{ key, operator: 'In', values: [value] }];
  });
  if (added.length === 0) return LabelSelector.ofObject(labelSelector);
  const matchExpressions = [...(labelSelector.matchExpressions ?? []), ...added];
  return LabelSelector.ofObject({ ...labelSelector, matchExpressions });
}

/** True if a node has the topology labels of all constraints. */
export function hasEveryKey({ labels }: SelectedNode, constraints: readonly SpreadConstraint[]): boolean {
  return constraints.every(({ topologyKey }) => Object.hasOwn(labels, topologyKey));
}

/** Returns a predicate that is true if the pods on a node count towards a constraint. */
export function nodeInclusion({ pod }: PendingPod): (node: NodeInfo, constraint: SpreadConstraint) => boolean {
  const accepts = requiredNodes(pod);
  const tolerations = pod.spec?.tolerations;
  return (node, { honorsAffinity, honorsTaints }) => {
    if (honorsAffinity && accepts && !accepts(node)) return false;
    return !honorsTaints || untoleratedTaint(node.taints, tolerations) === undefined;
  };
}

/** Returns the group of pods that count towards a constraint. */
export function countedPods({ selector }: SpreadConstraint, namespace: string): CountedPods {
  // Mirrors an optimization of kube-scheduler that clients rely on: an empty selector matches no pod.
  const countsNone = selector.isEmpty || selector.isNothing;
  return {
    key: countsNone ? 'spread nothing' : `spread ${namespace} ${selector}`,
    namespaces: new Set(countsNone ? [] : [namespace]),
    matches: (pod) => !countsNone && !pod.isTerminating && selector.matches(pod.labels),
  };
}
