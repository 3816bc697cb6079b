import type { DaemonSet } from '@kubewright/apimachinery/apps/v1';
import type { Node } from '@kubewright/apimachinery/core/v1';
import { matchesNodeAffinity } from '../nodes/node-selector.ts';
import { untoleratedTaint } from '../nodes/tolerations.ts';
import { daemonTolerations } from './daemon-pod.ts';

/** The decision about a daemon set's pods on a node. */
export interface NodeFit {
  /** True if the node should have a pod: a pod is created if the node has none. */
  readonly shouldRun: boolean;
  /** True if an existing pod may keep running. */
  readonly shouldContinue: boolean;
}

/** Decides whether a daemon set's pods belong on a node. Mirrors `NodeShouldRunDaemonPod` (1.36). */
export function nodeFit({ spec }: DaemonSet, node: Node): NodeFit {
  const podSpec = spec?.template.spec;
  if (!podSpec) return { shouldRun: false, shouldContinue: false };
  const { nodeName } = podSpec;
  if ((nodeName && nodeName !== node.metadata.name) || !matchesNodeAffinity(podSpec, node)) {
    return { shouldRun: false, shouldContinue: false };
  }
  const taints = node.spec?.taints ?? [];
  const tolerations = daemonTolerations(podSpec);
  if (!untoleratedTaint(taints, { tolerations, effects: ['NoSchedule', 'NoExecute'] })) {
    return { shouldRun: true, shouldContinue: true };
  }
  return { shouldRun: false, shouldContinue: !untoleratedTaint(taints, { tolerations, effects: ['NoExecute'] }) };
}
