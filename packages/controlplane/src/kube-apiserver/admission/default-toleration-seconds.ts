import type { AdmissionAttributes, AdmissionPlugin } from '@kubewright/apiserver';
import { handles } from './handles.ts';

interface Toleration {
  readonly key?: string;
  readonly operator?: string;
  readonly effect?: string;
  readonly tolerationSeconds?: number;
}

/** Adds five-minute tolerations for not-ready and unreachable nodes to pods that do not set their own. */
export const defaultTolerationSeconds: AdmissionPlugin = {
  name: 'DefaultTolerationSeconds',
  handles: handles('', 'pods'),
  async mutate({ subresource, object }: AdmissionAttributes): Promise<void> {
    if (subresource !== '' || object === undefined) return;
    const spec = object['spec'] as { tolerations?: Toleration[] } | undefined;
    if (spec === undefined) return;
    for (const key of ['node.kubernetes.io/not-ready', 'node.kubernetes.io/unreachable']) {
      const tolerated = (spec.tolerations ?? []).some(
        (toleration) =>
          (toleration.key === key || !toleration.key) && (toleration.effect === 'NoExecute' || !toleration.effect),
      );
      if (tolerated) continue;
      const toleration = { key, operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 300 };
      spec.tolerations = [...(spec.tolerations ?? []), toleration];
    }
  },
};
