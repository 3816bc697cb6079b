import { hasReason, type ObjectKey, type Status } from '@kubewright/apimachinery';
import type { DeleteOptions } from '../resource/call-options.ts';
import type { SubresourceClient } from '../resource/resource-client.ts';

/** The interval at which `kubectl drain` retries, in milliseconds. */
const retryMs = 5_000;

/** Options for {@link PodsClient.evict}; with `preconditions.uid`, only the pod with that UID is evicted. */
export type EvictOptions = DeleteOptions;

/** The outcome of an eviction. */
export type EvictionResult =
  | { readonly evicted: true }
  | {
      readonly evicted: false;
      /** The reason, which names the disruption budget. */
      readonly message: string;
      /** Milliseconds to wait before the next attempt: the server's delay, or 5 s, like `kubectl drain`. */
      readonly retryAfterMs: number;
    };

/** Sends one eviction. Returns a rejection by a disruption budget as a result; throws any other failure. */
export async function evict(
  evictions: SubresourceClient<unknown>,
  key: ObjectKey,
  { signal, dryRun, gracePeriodSeconds, preconditions, propagationPolicy }: EvictOptions,
): Promise<EvictionResult> {
  const body = {
    apiVersion: 'policy/v1',
    kind: 'Eviction',
    metadata: key,
    deleteOptions: { gracePeriodSeconds, preconditions, propagationPolicy },
  };
  try {
    await evictions.create<Status>(key, body, { dryRun, signal });
    return { evicted: true };
  } catch (error) {
    if (!hasReason(error, 'TooManyRequests')) throw error;
    const budget = error.status.details?.causes?.find(({ reason }) => reason === 'DisruptionBudget');
    // Without a budget, the rejection comes from the server's request limit.
    if (!budget) throw error;
    const { retryAfterSeconds } = error;
    return {
      evicted: false,
      message: budget.message ?? error.message,
      retryAfterMs: retryAfterSeconds ? retryAfterSeconds * 1000 : retryMs,
    };
  }
}
