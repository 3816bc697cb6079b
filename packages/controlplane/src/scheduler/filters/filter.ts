import type { Pod } from '@kubewright/apimachinery/core/v1';
import type { NodeInfo } from '../node-info.ts';

/**
 * One reason why a pod cannot go to a node. Answers the reasons in the words of kube-scheduler's plugin of that name;
 * none means that it can.
 */
export interface Filter {
  readonly name: string;
  reasons(pod: Pod, node: NodeInfo): readonly string[];
}
