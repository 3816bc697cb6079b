import type { Taint, Toleration } from '@kubewright/apimachinery/core/v1';
import { normalize } from '../framework/normalize.ts';
import { hint, type Plugin } from '../framework/plugin.ts';
import { unresolvable } from '../framework/rejection.ts';
import { tolerates, untoleratedTaint } from './tolerations.ts';

const name = 'TaintToleration';
const rejection = unresolvable(name, 'node(s) had untolerated taint(s)');

/**
 * Requires the pod to tolerate the node's NoSchedule and NoExecute taints, and prefers nodes with fewer untolerated
 * PreferNoSchedule taints.
 */
export const taintToleration: Plugin = {
  name,
  weight: 3,
  preFilter({ pod }) {
    const tolerations = pod.spec?.tolerations;
    return {
      filter: ({ taints }) => (taints.length > 0 && untoleratedTaint(taints, tolerations) ? rejection : undefined),
    };
  },
  preScore({ pod }, _view, nodes) {
    if (!nodes.some(({ taints }) => taints.length > 0)) return undefined;
    const preferences = (pod.spec?.tolerations ?? []).filter(({ effect }) => !effect || effect === 'PreferNoSchedule');
    return {
      score: ({ taints }) => intolerable(taints, preferences),
      normalize: (scores) => normalize(scores, { reverse: true }),
    };
  },
  hints: [
    hint('Node', ['Add', 'UpdateTaint'], ({ pod }, { old, now }) => {
      const tolerations = pod.spec?.tolerations;
      const was = old === undefined || untoleratedTaint(old.taints, tolerations) !== undefined;
      return was && now !== undefined && untoleratedTaint(now.taints, tolerations) === undefined;
    }),
    hint('Pod', ['UpdateToleration'], (pod, { now }) => pod.uid === now?.uid),
  ],
};

/** Counts the PreferNoSchedule taints that a pod does not tolerate. */
function intolerable(taints: readonly Taint[], tolerations: readonly Toleration[]): number {
  let count = 0;
  for (const taint of taints) if (taint.effect === 'PreferNoSchedule' && !tolerates(tolerations, taint)) count++;
  return count;
}
