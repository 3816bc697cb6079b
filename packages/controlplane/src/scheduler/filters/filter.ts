import type { Pod } from '@kubewright/apimachinery/core/v1';
import type { NodeInfo } from '../node-info.ts';

/**
 * A check that a pod can run on a node. `reasons` returns the messages of the kube-scheduler plugin with the same name; an empty
 * list means that the node passes.
 */
export interface Filter {
  readonly name: string;
  reasons(pod: Pod, node: NodeInfo): readonly string[];
}
