import { isConflict, isControlledBy, isDeleting, type Kind, type KubernetesObject } from '@kubewright/apimachinery';
import type { Finalizer } from '../controller/reconcile.ts';
import { observedChildren } from './children-index.ts';

/**
 * A finalizer that lets an object go only when its children of these kinds have gone: they are deleted in the order of the
 * kinds, each kind when the one before has gone. Otherwise the garbage collector deletes children after their owner.
 *
 * @example
 * ```ts
 * finalizers: { 'db.example.com/pod-first': childrenFirst(Pod, PersistentVolumeClaim) }
 * ```
 */
export function childrenFirst(...kinds: readonly Kind<KubernetesObject>[]): Finalizer<KubernetesObject> {
  return async (object, context) => {
    for (const kind of kinds) {
      const children = observedChildren(object, context.cache).list(kind);
      for (const child of children) {
        if (isDeleting(child) || !isControlledBy(child, object)) continue;
        context.log.info(`deleting the ${kind.kind.toLowerCase()} first`);
        try {
          await context.delete(child, { matchResourceVersion: true });
        } catch (error) {
          // It has changed since it was seen, and may be somebody else's by now: the next look tells.
          if (!isConflict(error)) throw error;
        }
      }
      if (children.length > 0) return { requeueAfterMs: 1_000 };
    }
    return undefined;
  };
}
