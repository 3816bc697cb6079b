import type { NodeInfo } from '../cluster/node-info.ts';
import type { Rejection } from './rejection.ts';

/** The reasons why a pod fits no node. */
export interface Diagnosis {
  readonly allNodes: number;
  /** The rejections of the nodes that were examined, by node name. */
  readonly nodes: ReadonlyMap<string, Rejection>;
  /** The rejection of the nodes that were not examined because a plugin ruled them out in advance. */
  readonly others: Rejection | undefined;
  /** Set if a plugin rejected the pod before any node was examined. */
  readonly before?: Rejection | undefined;
}

/** Returns the message for a pod that fits no node: each reason with its number of nodes, then `afterwards`. */
export function explain({ allNodes, nodes, others, before }: Diagnosis, afterwards = ''): string {
  let message = `0/${allNodes} nodes are available:`;
  if (before) message += ` ${before.reasons.join(', ')}.`;
  else {
    const counts = new Map<string, number>();
    const count = (rejection: Rejection, times: number): void => {
      for (const reason of rejection.reasons) counts.set(reason, (counts.get(reason) ?? 0) + times);
    };
    for (const rejection of nodes.values()) count(rejection, 1);
    if (others && nodes.size < allNodes) count(others, allNodes - nodes.size);
    const parts = [...counts].map(([reason, number]) => `${number} ${reason}`).sort(byBytes);
    if (parts.length > 0) message += ` ${parts.join(', ')}.`;
  }
  return afterwards === '' ? message : `${message} ${afterwards}`;
}

/** Returns the nodes on which evicting pods may make room. */
export function resolvableNodes({ nodes, others, before }: Diagnosis, all: readonly NodeInfo[]): readonly NodeInfo[] {
  const rest = before ?? others;
  return all.filter(({ name }) => (nodes.get(name) ?? rest)?.code === 'Unschedulable');
}

/** Returns the names of the plugins that rejected the pod. */
export function rejectors({ nodes, before }: Diagnosis): Set<string> {
  const plugins = new Set<string>();
  if (before) plugins.add(before.plugin);
  for (const { plugin } of nodes.values()) plugins.add(plugin);
  return plugins;
}

function byBytes(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
