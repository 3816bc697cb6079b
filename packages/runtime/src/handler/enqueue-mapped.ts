import { initialListPriority } from './enqueue-for-object.ts';
import type { EventHandler, ReconcileRequest } from './event-handler.ts';
import type { ObjectView } from './object-view.ts';

/** Says which keys an object concerns. Synchronous: it may read caches, not the API. */
export type MapFunc<T> = (view: ObjectView<T>) => readonly ReconcileRequest[];

/** Asks for reconciles of the keys that `map` answers; on updates for the old and the new object. */
export function enqueueMapped<T>(map: MapFunc<T>): EventHandler<T> {
  return (event, context) => {
    const initial = event.type === 'create' && event.isInInitialList;
    const options = initial ? { priority: initialListPriority } : {};
    if (event.type === 'update') for (const request of map(event.old)) context.enqueue(request, options);
    for (const request of map(event.object)) context.enqueue(request, options);
  };
}
