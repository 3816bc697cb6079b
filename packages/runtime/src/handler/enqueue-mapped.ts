import type { EventHandler, ReconcileRequest } from './event-handler.ts';
import { eventPriority } from './event-priority.ts';
import type { ObjectView } from './object-view.ts';

/** Maps an object to the keys it affects. Synchronous: it may read caches, but not the API. */
export type MapFunc<T> = (view: ObjectView<T>) => readonly ReconcileRequest[];

/** Enqueues the keys that `map` returns; for updates, those of the old and the new object, each key once. */
export function enqueueMapped<T>(map: MapFunc<T>): EventHandler<T> {
  return (event, context) => {
    const options = eventPriority(event);
    const asked = new Set<string>();
    const views = event.type === 'update' ? [event.old, event.object] : [event.object];
    for (const request of views.flatMap((view) => map(view))) {
      const id = `${request.namespace ?? ''}/${request.name}`;
      if (asked.has(id)) continue;
      asked.add(id);
      context.enqueue(request, options);
    }
  };
}
