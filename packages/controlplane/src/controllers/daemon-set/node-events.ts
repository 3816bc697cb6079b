import type { DaemonSet } from '@kubewright/apimachinery/apps/v1';
import type { Node } from '@kubewright/apimachinery/core/v1';
import type { EventHandler, ObjectView } from '@kubewright/runtime';
import { nodeFit } from './node-fit.ts';

/**
 * Finds the daemon sets that a change to a node affects. Requires a watch of daemon sets whose handler is {@link
 * NodeEvents.track}.
 */
export class NodeEvents {
  readonly #sets = new Map<string, ObjectView<DaemonSet>>();

  /** Handler for a watch of daemon sets. Records the sets and enqueues nothing. */
  readonly track: EventHandler<DaemonSet> = ({ type, object }) => {
    const id = `${object.namespace}/${object.name}`;
    if (type === 'delete') this.#sets.delete(id);
    else this.#sets.set(id, object);
  };

  /** Handler for a watch of nodes. Enqueues the sets that must create or delete a pod on the changed node. */
  readonly enqueueAffected: EventHandler<Node> = (event, context) => {
    for (const { key, object: set } of this.#sets.values()) {
      const now = event.type === 'delete' ? undefined : nodeFit(set, event.object.object);
      const before =
        event.type === 'create' ? undefined : nodeFit(set, (event.type === 'update' ? event.old : event.object).object);
      const isSame =
        (now?.shouldRun ?? false) === (before?.shouldRun ?? false) &&
        (now?.shouldContinue ?? false) === (before?.shouldContinue ?? false);
      if (!isSame) context.enqueue(key);
    }
  };
}
