import type { GroupVersionKind, ObjectKey } from '@kubewright/apimachinery';
import type { ObjectEvent } from './events.ts';

/** Asks for a reconcile of a key. It carries no event: a reconcile looks at the state, never at what changed. */
export interface ReconcileRequest extends ObjectKey {}

/** What a handler may know of the controller it works for. */
export interface HandlerContext {
  /** Puts a request into the controller's queue; equal requests that wait are one. */
  enqueue(request: ReconcileRequest, options?: { readonly priority?: number; readonly afterMs?: number }): void;
  /** The controller's primary kind, if it has one. */
  readonly primary: (GroupVersionKind & { readonly scope: 'Namespaced' | 'Cluster' }) | undefined;
  /** Reads the uid of a cached primary object; undefined when it is not cached. */
  primaryUid(key: ObjectKey): string | undefined;
}

/** Maps an event to requests. Called synchronously, right after the store took the change; must not wait. */
export type EventHandler<T> = (event: ObjectEvent<T>, context: HandlerContext) => void;
