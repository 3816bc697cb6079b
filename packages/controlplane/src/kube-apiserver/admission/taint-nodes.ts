import type { AdmissionPlugin } from '@kubewright/apiserver';

const notReadyKey = 'node.kubernetes.io/not-ready';

interface Taint {
  readonly key: string;
  readonly effect: string;
}

/** Taints new nodes as not ready. The taint keeps pods off until the node controller observes that the node is ready. */
export const taintNodesByCondition: AdmissionPlugin = {
  name: 'TaintNodesByCondition',
  async mutate({ definition, subresource, operation, object }): Promise<void> {
    if (definition.resource !== 'nodes' || definition.group !== '' || subresource !== '') return;
    if (operation !== 'CREATE' || object === undefined) return;
    const spec = (object['spec'] ?? {}) as { taints?: readonly Taint[] };
    const taints = spec.taints ?? [];
    if (taints.some(({ key, effect }) => key === notReadyKey && effect === 'NoSchedule')) return;
    object['spec'] = { ...spec, taints: [...taints, { key: notReadyKey, effect: 'NoSchedule' }] };
  },
};
