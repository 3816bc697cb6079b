import type { ObjectEvent } from '../handler/events.ts';

/**
 * Says whether an event reaches the handler. It does not filter the cache: what is not wanted there is kept out by a
 * selector. Must be synchronous and without side effects.
 */
export type Predicate<T> = (event: ObjectEvent<T>) => boolean;
