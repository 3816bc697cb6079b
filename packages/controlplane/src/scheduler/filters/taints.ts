import type { Node, Pod, Taint, Toleration } from '@kubewright/apimachinery/core/v1';
import type { Filter } from './filter.ts';

/** Rejects a cordoned node unless the pod tolerates its taint. */
export const nodeUnschedulable: Filter = {
  name: 'NodeUnschedulable',
  reasons({ spec }, { node }) {
    const taint = { key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' } as const;
    return !node.spec?.unschedulable || tolerates(spec?.tolerations, taint) ? [] : ['node(s) were unschedulable'];
  },
};

/** Requires that the pod tolerates the node's NoSchedule and NoExecute taints. */
export const taintToleration: Filter = {
  name: 'TaintToleration',
  reasons({ spec }, { node }) {
    const blocking = taintsOf(node).find(
      (taint) => taint.effect !== 'PreferNoSchedule' && !tolerates(spec?.tolerations, taint),
    );
    return blocking ? [`node(s) had untolerated taint(s)`] : [];
  },
};

/** Counts the PreferNoSchedule taints that a pod does not tolerate; lower is better. */
export function intolerablePreferences(pod: Pod, node: Node): number {
  return taintsOf(node).filter(
    (taint) => taint.effect === 'PreferNoSchedule' && !tolerates(pod.spec?.tolerations, taint),
  ).length;
}

function taintsOf(node: Node): readonly Taint[] {
  return node.spec?.taints ?? [];
}

function tolerates(tolerations: readonly Toleration[] | undefined, taint: Taint): boolean {
  return (tolerations ?? []).some(({ key, operator, value, effect }) => {
    if (effect && effect !== taint.effect) return false;
    if (key && key !== taint.key) return false;
    if (operator === 'Exists') return true;
    return Boolean(key) && (value ?? '') === (taint.value ?? '');
  });
}
