import type { KubernetesObject } from '@kubewright/apimachinery';
import { fail, titleOf } from './matcher.ts';

/**
 * Matches objects with a finalizer.
 *
 * @throws AssertionError with the finalizers that the object has
 *
 * @example
 * ```ts
 * await eventually(() => client.resource(ConfigMap).get({ name: 'settings' }), toHaveFinalizer('example.com/cleanup'));
 * ```
 */
export function toHaveFinalizer<T extends KubernetesObject>(finalizer: string): (object: T) => void {
  return (object) => {
    const { finalizers = [] } = object.metadata;
    if (finalizers.includes(finalizer)) return;
    fail(`${titleOf(object)} has no finalizer ${finalizer}`, { expected: [finalizer], actual: finalizers });
  };
}
