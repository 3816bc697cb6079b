import type { Condition, KubernetesObject } from '@kubewright/apimachinery';

/** The condition fields that all kinds share; `observedGeneration` is optional. */
interface ObservedCondition {
  readonly type: string;
  readonly status: string;
  readonly observedGeneration?: number;
}

interface WithConditions extends KubernetesObject {
  readonly status?: { readonly observedGeneration?: number; readonly conditions?: readonly ObservedCondition[] };
}

/**
 * Returns a predicate for `waitFor`: true if the object has a condition of this type with this status. A condition computed for
 * an older generation of the object does not count. Mirrors `kubectl wait --for=condition=TYPE=STATUS` (1.36).
 *
 * @param status - @defaultValue `True`
 *
 * @example
 * await client.resource(Deployment).waitFor({ name: 'web' }, hasCondition('Available'), { signal });
 */
export function hasCondition(
  type: string,
  status: Condition['status'] = 'True',
): (object: KubernetesObject) => boolean {
  return (object) => {
    const { metadata, status: observed } = object as WithConditions;
    const condition = observed?.conditions?.find((one) => one.type.toLowerCase() === type.toLowerCase());
    if (condition?.status !== status) return false;
    const generation = condition.observedGeneration ?? observed?.observedGeneration;
    return generation === undefined || metadata.generation === undefined || generation >= metadata.generation;
  };
}
