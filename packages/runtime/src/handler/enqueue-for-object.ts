import type { EventHandler } from './event-handler.ts';
import { eventPriority } from './event-priority.ts';

/** Asks for a reconcile of the object that the event is about. */
export function enqueueForObject<T>(): EventHandler<T> {
  return (event, context) => context.enqueue(event.object.key, eventPriority(event));
}
