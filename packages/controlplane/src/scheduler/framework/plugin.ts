import type { NodeInfo } from '../cluster/node-info.ts';
import type { PendingPod, PodInfo } from '../cluster/pod-info.ts';
import type { ClusterEvent } from './cluster-event.ts';
import type { ClusterView } from './cluster-view.ts';
import type { Rejection } from './rejection.ts';

/** A plugin's filter for one pod: determines the feasible nodes. Prepared once, then called for each node. */
export interface NodeFilter {
  /** Returns a rejection if the pod cannot run on a node; otherwise undefined. */
  filter(node: NodeInfo): Rejection | undefined;
  /** The only feasible nodes, if they are known in advance. */
  readonly nodeNames?: ReadonlySet<string> | undefined;
  /** Updates the filter as if another pod ran on a node. */
  addPod?(pod: PodInfo, node: NodeInfo): void;
  /** Updates the filter as if another pod had been evicted from a node. */
  removePod?(pod: PodInfo, node: NodeInfo): void;
  /** Returns a copy that `addPod` and `removePod` can change. Omit it if the filter does not depend on other pods. */
  clone?(): NodeFilter;
}

/** A plugin's preferences among nodes for one pod. */
export interface NodeScorer {
  /** Scores a node; higher is better. */
  score(node: NodeInfo): number;
  /** Scales the scores of all nodes to the range 0 to 100, in place. Omit it if `score` already returns values in that range. */
  normalize?(scores: number[]): void;
}

/** An event that may make a pod schedulable after the plugin rejected it. */
export interface EventHint {
  readonly resource: ClusterEvent['resource'];
  readonly actions: readonly ClusterEvent['action'][];
  /** Returns false if the event cannot make the pod schedulable. @defaultValue every event with one of these actions may help */
  readonly helps?: ((pod: PendingPod, event: ClusterEvent, view: ClusterView) => boolean) | undefined;
}

/** One criterion for choosing a pod's node. Mirrors the plugin of kube-scheduler with the same name. */
export interface Plugin {
  readonly name: string;
  /** Prepares the filter for a pod. Returns undefined if every node passes, or a rejection if none does. */
  readonly preFilter?: (pod: PendingPod, view: ClusterView) => NodeFilter | Rejection | undefined;
  /** Prepares the scorer for a pod and the nodes that passed. Returns undefined if all nodes are equal. */
  readonly preScore?: (pod: PendingPod, view: ClusterView, nodes: readonly NodeInfo[]) => NodeScorer | undefined;
  /** Weight of the plugin's score. @defaultValue 1 */
  readonly weight?: number;
  /** The events after which a pod that this plugin rejected is retried. */
  readonly hints?: readonly EventHint[];
}

/** The highest score that a plugin may give a node. */
export const maxNodeScore = 100;

/** True if the result of `preFilter` is a rejection on all nodes. */
export function isRejection(result: NodeFilter | Rejection): result is Rejection {
  return 'reasons' in result;
}

/** Builds a hint whose `helps` function is typed for events of its resource. */
export function hint<R extends ClusterEvent['resource']>(
  resource: R,
  actions: readonly Extract<ClusterEvent, { readonly resource: R }>['action'][],
  helps?: (pod: PendingPod, event: Extract<ClusterEvent, { readonly resource: R }>, view: ClusterView) => boolean,
): EventHint {
  // The queue passes a hint only events of its resource.
  return { resource, actions, helps: helps as EventHint['helps'] };
}
