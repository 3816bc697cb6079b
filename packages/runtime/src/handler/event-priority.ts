import type { EventHandler } from './event-handler.ts';
import type { ObjectEvent } from './events.ts';

/** Priority of requests that come from the first list and from replays: anything that changes meanwhile goes first. */
export const initialListPriority = -100;

/** The priority that an event's requests have by themselves: low where nothing has changed. */
export function eventPriority<T>(event: ObjectEvent<T>): { readonly priority?: number } {
  return isQuiet(event) ? { priority: initialListPriority } : {};
}

/**
 * Gives all requests of a handler a priority of your own, higher first; those of the first list and of replays stay low.
 *
 * @example
 * ```ts
 * watches: [watch(Secret, withPriority(10, enqueueMapped(databasesUsing)))]
 * ```
 */
export function withPriority<T>(priority: number, handler: EventHandler<T>): EventHandler<T> {
  return (event, context) => {
    if (isQuiet(event)) {
      handler(event, context);
      return;
    }
    handler(event, {
      ...context,
      enqueue: (request, options = {}) => context.enqueue(request, { priority, ...options }),
    });
  };
}

/** True for objects that were there at the start, and for those shown again though nothing differs. */
function isQuiet<T>(event: ObjectEvent<T>): boolean {
  if (event.type === 'create') return event.isInInitialList;
  if (event.type !== 'update') return false;
  const { resourceVersion } = event.object;
  return resourceVersion !== '' && resourceVersion === event.old.resourceVersion;
}
