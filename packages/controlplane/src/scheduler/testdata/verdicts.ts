import type { NodeInfo } from '../cluster/node-info.ts';
import type { PendingPod } from '../cluster/pod-info.ts';
import type { ClusterEvent } from '../framework/cluster-event.ts';
import { isRejection, type Plugin } from '../framework/plugin.ts';
import { EventHints, helps } from '../queue/event-hints.ts';
import { type TestObjects, testView } from './test-view.ts';

/** Returns a plugin's verdict on each node: its reasons for a rejection, or `fits`. */
export function verdicts(plugin: Plugin, pod: PendingPod, objects: TestObjects): Readonly<Record<string, string>> {
  const view = testView(objects);
  const result = plugin.preFilter?.(pod, view);
  const of = (node: NodeInfo): string => {
    const rejection = result && (isRejection(result) ? result : result.filter(node));
    return rejection ? rejection.reasons.join(', ') : 'fits';
  };
  return Object.fromEntries(view.cache.nodes.map((node) => [node.name, of(node)]));
}

/** Returns a plugin's normalized score of each node, or 0 for all nodes if it does not score this pod. */
export function scores(plugin: Plugin, pod: PendingPod, objects: TestObjects): Readonly<Record<string, number>> {
  const view = testView(objects);
  const { nodes } = view.cache;
  const scorer = plugin.preScore?.(pod, view, nodes);
  const values = nodes.map((node) => scorer?.score(node) ?? 0);
  scorer?.normalize?.(values);
  return Object.fromEntries(nodes.map(({ name }, i) => [name, values[i] ?? 0]));
}

/** True if the event makes the queue reconsider a pod that the plugin rejected. */
export function reconsiders(plugin: Plugin, pod: PendingPod, event: ClusterEvent): boolean {
  const view = testView();
  return new EventHints([plugin]).for(event).some((hint) => helps(hint, { pod, event, view }));
}

