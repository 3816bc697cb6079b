import { isDeleting, type Stored } from '@kubewright/apimachinery';
import type { DaemonSet } from '@kubewright/apimachinery/apps/v1';
import type { Node, Pod } from '@kubewright/apimachinery/core/v1';
import { isPodAvailable, isPodReady } from '../pods/pod-state.ts';
import { revisionLabel } from './daemon-pod.ts';
import { nodeFit } from './node-fit.ts';
import { surgeCount } from './rolling-counts.ts';

/** Input for the decisions about a daemon set's pods. */
export interface DaemonState {
  readonly set: DaemonSet;
  readonly nodes: readonly Stored<Node>[];
  /** Pods by the name of the node that they run on or are assigned to by affinity. */
  readonly pods: ReadonlyMap<string, readonly Stored<Pod>[]>;
  /** The hash of the current revision. */
  readonly hash: string;
  readonly nowMs: number;
}

/** The pods of a daemon set to create and delete. */
export interface DaemonPlan {
  /** The names of the nodes that need a pod. */
  readonly create: readonly string[];
  readonly remove: readonly Stored<Pod>[];
}

/** Pods that failed or succeeded, although daemon pods are supposed to run forever. */
export interface EndedPods {
  readonly failed: readonly { readonly pod: Stored<Pod>; readonly node: string }[];
  readonly succeeded: readonly { readonly pod: Stored<Pod>; readonly node: string }[];
}

/** Compares the pods that each node should have with its actual pods. Lists ended pods separately. Mirrors `manage` (1.36). */
export function planDaemons(state: DaemonState): DaemonPlan & EndedPods {
  const plans = state.nodes.map((node) => planNode(state, node));
  const known = new Set(state.nodes.map(({ metadata }) => metadata.name));
  // Unscheduled pods whose target node no longer exists. No other controller deletes them.
  const lost = [...state.pods].flatMap(([node, pods]) =>
    known.has(node) ? [] : pods.filter(({ spec }) => !spec?.nodeName),
  );
  return {
    create: plans.flatMap(({ create }) => create),
    remove: [...plans.flatMap(({ remove }) => remove), ...lost],
    failed: plans.flatMap(({ failed }) => failed),
    succeeded: plans.flatMap(({ succeeded }) => succeeded),
  };
}

const nothing: DaemonPlan & EndedPods = { create: [], remove: [], failed: [], succeeded: [] };

function planNode(state: DaemonState, node: Stored<Node>): DaemonPlan & EndedPods {
  const { set, pods } = state;
  const { name } = node.metadata;
  const { shouldRun, shouldContinue } = nodeFit(set, node);
  const present = pods.get(name);
  if (shouldRun && !present) return { ...nothing, create: [name] };
  const staying = (present ?? []).filter((pod) => !isDeleting(pod));
  if (!shouldContinue) return { ...nothing, remove: staying };
  const ended = (phase: string) =>
    staying.filter(({ status }) => status?.phase === phase).map((pod) => ({ pod, node: name }));
  const [failed, succeeded] = [ended('Failed'), ended('Succeeded')];
  const running = staying
    .filter(({ status }) => status?.phase !== 'Failed' && status?.phase !== 'Succeeded')
    .sort(scheduledThenOldest);
  if (surgeCount(set, 1) === 0) return { create: [], remove: running.slice(1), failed, succeeded };
  const create = running.length === 0 && shouldRun ? [name] : [];
  return { create, remove: running.length > 1 ? surplusOf(running, state) : [], failed, succeeded };
}

/**
 * Returns the surplus pods of a node during a surge. Two pods may run side by side: a new pod that is not available yet, and an
 * old pod that is ready.
 */
function surplusOf(running: readonly Stored<Pod>[], { set, hash, nowMs }: DaemonState): readonly Stored<Pod>[] {
  const isNew = ({ metadata }: Pod): boolean => metadata.labels?.[revisionLabel] === hash;
  const [newest, oldest] = [running.find(isNew), running.find((pod) => !isNew(pod))];
  const surplus = running.filter((pod) => pod !== newest && pod !== oldest);
  if (!newest || !oldest) return surplus;
  const { minReadySeconds = 0 } = set.spec ?? {};
  const replaced = !isPodReady(oldest) || isPodAvailable(newest, { minReadySeconds, nowMs });
  return replaced ? [...surplus, oldest] : surplus;
}

/** Orders pods: scheduled pods first, and older pods before newer pods. */
export function scheduledThenOldest(a: Stored<Pod>, b: Stored<Pod>): number {
  const unscheduled = ({ spec }: Pod): number => (spec?.nodeName ? 0 : 1);
  const key = ({ metadata }: Stored<Pod>): string => `${metadata.creationTimestamp} ${metadata.name}`;
  return unscheduled(a) - unscheduled(b) || (key(a) < key(b) ? -1 : 1);
}
