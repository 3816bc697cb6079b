import type { Pod } from '@kubewright/apimachinery/core/v1';
import type { EventHandler, ReconcileRequest } from '@kubewright/runtime';

/** Index of the pods on a node, fed by a watch of the pods. */
export class PodsByNode {
  readonly #pods = new Map<string, Map<string, ReconcileRequest>>();

  /** Handler for a watch of the pods; enqueues nothing. */
  readonly track: EventHandler<Pod> = ({ type, object }) => {
    const { namespace, name } = object;
    const node = object.object.spec?.nodeName;
    if (node === undefined) return; // unscheduled; a pod never leaves its node
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
