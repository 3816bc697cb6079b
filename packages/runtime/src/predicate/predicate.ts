import type { ObjectEvent } from '../handler/events.ts';

/**
 * Decides if an event reaches the handler. It does not filter the cache; use a selector to keep objects out of that. Must be
 * synchronous and without side effects.
 */
export type Predicate<T> = (event: ObjectEvent<T>) => boolean;
