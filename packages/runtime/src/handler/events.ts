import type { ObjectView } from './object-view.ts';

/** An object became visible. */
export interface CreateEvent<T> {
  readonly type: 'create';
  readonly object: ObjectView<T>;
  /** True for objects in the informer's first list, and for those replayed to a late handler. */
  readonly isInInitialList: boolean;
}

/** An object changed. `old` and `object` have the same UID: a recreated object arrives as a delete and a create. */
export interface UpdateEvent<T> {
  readonly type: 'update';
  readonly old: ObjectView<T>;
  readonly object: ObjectView<T>;
}

/** An object was removed. */
export interface DeleteEvent<T> {
  readonly type: 'delete';
  /** The last state seen. */
  readonly object: ObjectView<T>;
  /** True if the deletion itself was missed, so that `object` may be older than the object's last state. */
  readonly deleteStateUnknown: boolean;
}

/** A source outside the API requests a reconcile of an object. */
export interface GenericEvent<T> {
  readonly type: 'generic';
  readonly object: ObjectView<T>;
}

/** The event that a source passes to its handler. Not the API's `Event` object, which the recorder writes. */
export type ObjectEvent<T> = CreateEvent<T> | UpdateEvent<T> | DeleteEvent<T> | GenericEvent<T>;
