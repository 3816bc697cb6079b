/** What metrics show of an informer. */
export interface InformerGauges {
  readonly kind: string;
  readonly objects: number;
  /** Seconds since anything came from the server. */
  readonly ageSeconds: number;
  /** Seconds for which a newer state is known to be awaited; 0 when it is fresh. */
  readonly lagSeconds: number;
  /** Memory outside the heap. */
  readonly bytes: number;
  /** Watches opened since the start. */
  readonly watches: number;
  /** Listings begun since the start. */
  readonly lists: number;
}

/**
 * A cache that heard nothing from the server for so long is not fresh, in milliseconds. Twice the silence after which a
 * watch is opened again: one that is merely quiet does not get here.
 */
const staleMs = 300_000;

/** Says in the words of `/readyz` why a cache cannot be relied on; undefined when it can. */
export function cacheFault(state: {
  readonly kind: string;
  readonly hasSynced: boolean;
  readonly isServed: boolean;
  readonly isDoubted: boolean;
  readonly ageMs: number;
  readonly behindMs: number;
}): string | undefined {
  const { kind, hasSynced, isServed, isDoubted, ageMs, behindMs } = state;
  const seconds = (ms: number): string => `${Math.round(ms / 1000)} s`;
  if (!isServed) return `${kind} is not served: its CustomResourceDefinition is missing`;
  if (!hasSynced) return `${kind} not listed yet`;
  if (isDoubted) return `${kind} may be stale: its list is answered with 404`;
  if (ageMs > staleMs) return `${kind} not heard of for ${seconds(ageMs)}`;
  if (behindMs > 0) return `${kind} behind for ${seconds(behindMs)}`;
  return undefined;
}
