import type { GroupVersionKind, ObjectKey } from '@kubewright/apimachinery';
import type { ObjectEvent } from './events.ts';

/** The key to reconcile. Carries no event, because a reconcile looks at the current state, never at a change. */
export interface ReconcileRequest extends ObjectKey {}

/** The parts of a controller that its handlers can access. */
export interface HandlerContext {
  /** Adds a request to the controller's queue; equal pending requests are merged. */
  enqueue(request: ReconcileRequest, options?: { readonly priority?: number; readonly afterMs?: number }): void;
  /** The controller's primary kind, if it has one. */
  readonly primary: (GroupVersionKind & { readonly scope: 'Namespaced' | 'Cluster' }) | undefined;
  /** Returns the UID of a primary object; undefined if the object is not cached. */
  primaryUid(key: ObjectKey): string | undefined;
}

/**
 * Maps an event to requests. Called synchronously, right after the store has applied the change; must not block.
 *
 * @example
 * ```ts
 * const enqueueNode: EventHandler<Pod> = (event, { enqueue }) => {
 *   const name = event.object.object.spec?.nodeName;
 *   if (name !== undefined) enqueue({ name });
 * };
 * const source = watch(Pod, enqueueNode);
 * ```
 */
export type EventHandler<T> = (event: ObjectEvent<T>, context: HandlerContext) => void;
