import type { ReconcileResult, RequestContext } from '@kubewright/runtime';

/**
 * Reports why a database or role with the reclaim policy `Delete` cannot be dropped yet, with the remedy. Returns when
 * to retry.
 */
export function dropDelayed(
  kind: 'database' | 'role',
  { name, why }: { readonly name: string; readonly why: string },
  { events }: Pick<RequestContext, 'events'>,
): ReconcileResult {
  const note = `cannot drop the ${kind} "${name}" yet: ${why}; to keep the ${kind} and delete only the Kubernetes object, set spec.reclaimPolicy to Retain`;
  events.record({ type: 'Warning', reason: 'DropDelayed', note, series: note });
  return { requeueAfterMs: 5_000 };
}
