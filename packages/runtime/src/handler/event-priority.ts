import type { EventHandler } from './event-handler.ts';
import type { ObjectEvent } from './events.ts';

/** Priority of requests from the first list and from replays; low, so that real changes are processed first. */
export const initialListPriority = -100;

/** Returns the default priority of an event's requests: low if the object has not changed. */
export function eventPriority<T>(event: ObjectEvent<T>): { readonly priority?: number } {
  return isQuiet(event) ? { priority: initialListPriority } : {};
}

/**
 * Sets the priority of a handler's requests, higher first; requests from the first list and from replays stay low.
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

/** Reports whether the event is for an object that existed at startup, or a replay without changes. */
function isQuiet<T>(event: ObjectEvent<T>): boolean {
  if (event.type === 'create') return event.isInInitialList;
  if (event.type !== 'update') return false;
  const { resourceVersion } = event.object;
  return resourceVersion !== '' && resourceVersion === event.old.resourceVersion;
}
