import type { EventHandler } from './event-handler.ts';

/** Priority of requests that come from the first list: anything that changes meanwhile goes first. */
export const initialListPriority = -100;

/** Asks for a reconcile of the object that the event is about. */
export function enqueueForObject<T>(): EventHandler<T> {
  return (event, context) => {
    const initial = event.type === 'create' && event.isInInitialList;
    context.enqueue(event.object.key, initial ? { priority: initialListPriority } : {});
  };
}
