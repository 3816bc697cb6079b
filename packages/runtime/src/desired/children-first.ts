import { isConflict, isControlledBy, isDeleting, type Kind, type KubernetesObject } from '@kubewright/apimachinery';
import { logEvents } from '../log/log-events.ts';
import { observedChildren } from '../reconcile/observed-children.ts';
import type { Finalizer } from './finalizer.ts';

/**
 * Returns a finalizer that keeps an object until its children of these kinds are removed. Deletes the children in the
 * order of the kinds, each kind after the previous kind is removed. Without this finalizer, the garbage collector
 * deletes children after their owner.
 *
 * @example
 * ```ts
 * const finalizers = { 'db.example.com/pod-first': childrenFirst(Pod, PersistentVolumeClaim) };
 * ```
 */
export function childrenFirst(...kinds: readonly Kind<KubernetesObject>[]): Finalizer<KubernetesObject> {
  return async (object, context) => {
    for (const kind of kinds) {
      const children = observedChildren(object, context.cache).list(kind);
      for (const child of children) {
        if (isDeleting(child) || !isControlledBy(child, object)) continue;
        context.log.info(`deleting the ${kind.kind.toLowerCase()} before its owner`, {
          event: logEvents.childrenDeleting,
        });
        try {
          await context.delete(child, { matchResourceVersion: true, propagationPolicy: 'Background' });
        } catch (error) {
          // The child has changed since it was read and may have another owner by now; the next reconcile checks.
          if (!isConflict(error)) throw error;
        }
      }
      if (children.length > 0) return { requeueAfterMs: 1_000 };
    }
    return undefined;
  };
}
