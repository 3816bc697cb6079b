/** Metrics of an informer. */
export interface InformerGauges {
  readonly kind: string;
  readonly objects: number;
  /** Seconds since the server last sent data. */
  readonly ageSeconds: number;
  /** Seconds since the informer has been known to lag behind; 0 if it is up to date. */
  readonly lagSeconds: number;
  /** Memory outside the heap, in bytes. */
  readonly bytes: number;
  /** Watches opened since startup. */
  readonly watches: number;
  /** Lists started since startup. */
  readonly lists: number;
}

/**
 * Time without data from the server after which a cache counts as stale, in milliseconds. This is twice the time after
 * which a watch is reopened, so a quiet watch never reaches it.
 */
const staleMs = 300_000;

/** Describes why a cache cannot be relied on, as shown by `/readyz`; undefined if it can. */
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
  if (!isServed) return `the API server does not serve ${kind}: its CustomResourceDefinition is missing`;
  if (!hasSynced) return `the initial list of ${kind} is not complete yet`;
  if (isDoubted) return `the cache of ${kind} may be stale: the list request returns 404`;
  if (ageMs > staleMs) return `the watch of ${kind} has received no events for ${seconds(ageMs)}`;
  if (behindMs > 0) return `the cache of ${kind} has lagged behind the API server for ${seconds(behindMs)}`;
  return undefined;
}
