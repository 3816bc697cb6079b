import type { EventHandler } from './event-handler.ts';
import { eventPriority } from './event-priority.ts';

/** Enqueues the object of the event. */
export function enqueueForObject<T>(): EventHandler<T> {
  return (event, context) => context.enqueue(event.object.key, eventPriority(event));
}
