import { isConditionTrue, LabelSelector, type ObjectKey, objectKey, Quantity } from '@kubewright/apimachinery';
import type { Pod } from '@kubewright/apimachinery/core/v1';

/** Returns the keys of ready web pods, and the memory that they request in total. */
export function readyWebPods(pods: readonly Pod[]): { readonly keys: readonly ObjectKey[]; readonly memory: string } {
  const web = LabelSelector.parse('app=web,tier!=test');
  const ready = pods.filter(
    (pod) => web.matches(pod.metadata.labels ?? {}) && isConditionTrue(pod.status?.conditions, 'Ready'),
  );
  const memory = ready
    .flatMap((pod) => pod.spec?.containers ?? [])
    .map((container) => Quantity.parse(container.resources?.requests?.['memory'] ?? '0'))
    .reduce((sum, next) => sum.add(next), Quantity.parse('0'));
  return { keys: ready.map(objectKey), memory: memory.toString() };
}
