import type { ObjectView } from './object-view.ts';

/**
 * Reports that an object became visible.
 *
 * @example
 * ```ts
 * const isRecent = ({ isInInitialList }: CreateEvent<Pod>): boolean => !isInInitialList;
 * const isNew: Predicate<Pod> = (event) => event.type === 'create' && isRecent(event);
 * ```
 */
export interface CreateEvent<T> {
  readonly type: 'create';
  readonly object: ObjectView<T>;
  /** True for objects in the informer's first list, and for objects replayed to a late handler. */
  readonly isInInitialList: boolean;
}

/**
 * Reports that an object changed. `old` and `object` have the same UID: a recreated object arrives as a delete and a create.
 *
 * @example
 * ```ts
 * const moved = ({ old, object }: UpdateEvent<Service>): boolean =>
 *   old.object.spec?.clusterIP !== object.object.spec?.clusterIP;
 * const source = watch(Service, enqueueForObject(), { predicates: [predicateFuncs({ update: moved })] });
 * ```
 */
export interface UpdateEvent<T> {
  readonly type: 'update';
  readonly old: ObjectView<T>;
  readonly object: ObjectView<T>;
}

/**
 * Reports that an object was removed.
 *
 * @example
 * ```ts
 * const wasMissed = ({ deleteStateUnknown }: DeleteEvent<Pod>): boolean => deleteStateUnknown;
 * const handler = handlerFuncs<Pod>({
 *   delete: (event, { enqueue }) => enqueue({ name: event.object.namespace }, { priority: wasMissed(event) ? 0 : 10 }),
 * });
 * ```
 */
export interface DeleteEvent<T> {
  readonly type: 'delete';
  /** The last state seen. */
  readonly object: ObjectView<T>;
  /** True if the deletion itself was missed, so that `object` may be older than the object's last state. */
  readonly deleteStateUnknown: boolean;
}

/**
 * Reports that a source outside the API requests a reconcile of an object.
 *
 * @example
 * ```ts
 * const isRequested = ({ object }: GenericEvent<Website>): boolean => object.annotations['example.com/refresh'] === 'true';
 * const predicate = predicateFuncs<Website>({ generic: isRequested });
 * ```
 */
export interface GenericEvent<T> {
  readonly type: 'generic';
  readonly object: ObjectView<T>;
}

/** The event that a source passes to its handler. Not the API's `Event` object, which the recorder writes. */
export type ObjectEvent<T> = CreateEvent<T> | UpdateEvent<T> | DeleteEvent<T> | GenericEvent<T>;
