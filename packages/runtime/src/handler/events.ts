import type { ObjectView } from './object-view.ts';

/** An object came into view. */
export interface CreateEvent<T> {
  readonly type: 'create';
  readonly object: ObjectView<T>;
  /** True for objects that were there when the informer first listed, and for those replayed to a late handler. */
  readonly isInInitialList: boolean;
}

/** An object changed. `old` and `object` have the same uid: a re-created object comes as a delete and a create. */
export interface UpdateEvent<T> {
  readonly type: 'update';
  readonly old: ObjectView<T>;
  readonly object: ObjectView<T>;
}

/** An object went away. */
export interface DeleteEvent<T> {
  readonly type: 'delete';
  /** The last state seen. */
  readonly object: ObjectView<T>;
  /** True when the deletion itself was missed, so that `object` may be older than the object's last state. */
  readonly deleteStateUnknown: boolean;
}

/** Something outside the API says that an object needs a look. */
export interface GenericEvent<T> {
  readonly type: 'generic';
  readonly object: ObjectView<T>;
}

/** What a source tells its handler. Not the API's `Event` object; that is written by the recorder. */
export type ObjectEvent<T> = CreateEvent<T> | UpdateEvent<T> | DeleteEvent<T> | GenericEvent<T>;
