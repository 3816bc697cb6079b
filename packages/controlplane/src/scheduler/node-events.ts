import type { Stored } from '@kubewright/apimachinery';
import type { Node } from '@kubewright/apimachinery/core/v1';
import { sameJson } from '@kubewright/apimachinery/internal';
import type { CreateEvent, DeleteEvent, GenericEvent, UpdateEvent } from '@kubewright/runtime';
import { NodeInfo } from './cluster/node-info.ts';
import type { SchedulerCache } from './cluster/scheduler-cache.ts';
import type { NodeEvent } from './framework/cluster-event.ts';
import type { SchedulingQueue } from './queue/scheduling-queue.ts';

type NodeObjectEvent = CreateEvent<Node> | UpdateEvent<Node> | DeleteEvent<Node> | GenericEvent<Node>;

/** Applies node events to the cache, and notifies the queue of changes that may make waiting pods schedulable. */
export class NodeEvents {
  readonly #cache: SchedulerCache;
  readonly #queue: SchedulingQueue;

  constructor({ cache, queue }: { readonly cache: SchedulerCache; readonly queue: SchedulingQueue }) {
    this.#cache = cache;
    this.#queue = queue;
  }

  handle(event: NodeObjectEvent): void {
    if (event.type === 'generic') return;
    const { name } = event.object;
    if (event.type === 'delete') {
      this.#queue.move({ resource: 'Node', action: 'Delete', old: infoOf(event.object.object) });
      this.#cache.removeNode(name);
      return;
    }
    const old = this.#cache.node(name)?.node;
    const now = event.object.object;
    if (old?.metadata.resourceVersion === now.metadata.resourceVersion) return;
    this.#cache.putNode(now);
    for (const change of nodeChanges(old, now)) this.#queue.move(change);
  }
}

/** Returns the changes between two versions of a node that may make waiting pods schedulable. */
export function nodeChanges(old: Stored<Node> | undefined, now: Stored<Node>): readonly NodeEvent[] {
  if (!old) return [{ resource: 'Node', action: 'Add', now: infoOf(now) }];
  const actions: NodeEvent['action'][] = [];
  if (!sameJson(old.status?.allocatable, now.status?.allocatable)) actions.push('UpdateAllocatable');
  if (!sameJson(old.metadata.labels, now.metadata.labels)) actions.push('UpdateLabel');
  const uncordoned = old.spec?.unschedulable === true && now.spec?.unschedulable !== true;
  if (uncordoned || !sameJson(old.spec?.taints, now.spec?.taints)) actions.push('UpdateTaint');
  if (actions.length === 0) return [];
  const nodes = { old: infoOf(old), now: infoOf(now) };
  return actions.map((action) => ({ resource: 'Node', action, ...nodes }));
}

/** Returns the entry of a node without its pods. */
function infoOf(node: Stored<Node>): NodeInfo {
  const info = new NodeInfo(node.metadata.name);
  info.setNode(node);
  return info;
}
