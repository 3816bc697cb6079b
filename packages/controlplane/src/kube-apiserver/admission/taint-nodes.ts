import type { AdmissionPlugin } from '@kubewright/apiserver';
import { handles } from './handles.ts';

const notReadyKey = 'node.kubernetes.io/not-ready';

interface Taint {
  readonly key: string;
  readonly effect: string;
}

/** Taints new nodes as not ready. The taint keeps pods off until the node controller observes that the node is ready. */
export const taintNodesByCondition: AdmissionPlugin = {
  name: 'TaintNodesByCondition',
  handles: handles('', 'nodes'),
  async mutate({ subresource, operation, object }): Promise<void> {
    if (operation !== 'CREATE' || subresource !== '' || object === undefined) return;
    const spec = (object['spec'] ?? {}) as { taints?: readonly Taint[] };
    const taints = spec.taints ?? [];
    if (taints.some(({ key, effect }) => key === notReadyKey && effect === 'NoSchedule')) return;
    object['spec'] = { ...spec, taints: [...taints, { key: notReadyKey, effect: 'NoSchedule' }] };
  },
};
