import type { Pod } from '@kubewright/apimachinery/core/v1';
import type { EventHandler, ReconcileRequest } from '@kubewright/runtime';

/** Finds the pods on a node. Requires a watch of pods whose handler is {@link PodsByNode.track}. */
export class PodsByNode {
  readonly #pods = new Map<string, Map<string, ReconcileRequest>>();

  /** Handler for a watch of pods. Records their nodes and enqueues nothing. */
  readonly track: EventHandler<Pod> = ({ type, object }) => {
    const { namespace, name } = object;
    const node = object.object.spec?.nodeName;
    if (node === undefined) return; // Unscheduled. Once assigned, a pod never changes its node.
    const pods = this.#pods.get(node) ?? new Map<string, ReconcileRequest>();
    if (type === 'delete') pods.delete(`${namespace}/${name}`);
    else pods.set(`${namespace}/${name}`, { namespace, name });
    if (pods.size > 0) this.#pods.set(node, pods);
    else this.#pods.delete(node);
  };

  on(node: string): readonly ReconcileRequest[] {
    return [...(this.#pods.get(node)?.values() ?? [])];
  }
}
