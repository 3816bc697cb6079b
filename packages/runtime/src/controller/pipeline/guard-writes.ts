import type { ClientInterceptor, KubernetesClient } from '@kubewright/client';
import type { FutileWrites } from '../../detector/futile-writes.ts';
import type { Activity } from '../../watchdog/activity.ts';
import { type Partition, whileOwned } from '../definition/partition.ts';
import type { ReconcileRun, Stage } from './reconcile-run.ts';

/**
 * Holds the key for this replica while it is reconciled. An abandoned reconcile can no longer write, so its key may move to another
 * replica.
 */
export function holdKey(partition: Partition): Stage {
  return (next) => async (run) => {
    const entry = partition.enter(run.request);
    run.entry = entry;
    try {
      return await next(run);
    } finally {
      entry[Symbol.dispose]();
    }
  };
}

/** Observes a reconcile's writes, and tells the watchdog that the reconcile is running. */
export function observeReconcile(
  futile: FutileWrites,
  options: { readonly controller: string; readonly activity: Activity | undefined },
): Stage {
  const { controller, activity } = options;
  return (next) => async (run) => {
    const mark = activity?.mark(controller, run.key);
    const writes = futile.begin(run);
    run.mark = mark;
    run.writes = writes;
    try {
      return await next(run);
    } finally {
      futile.ended(writes);
      mark?.ended();
    }
  };
}

/**
 * Returns the client of a reconcile. The client tracks calls, lets the detector observe writes, and allows writes only while this
 * replica owns the key.
 *
 * @param options.onRejected - called with the key of a rejected write.
 */
export function guardedClient(
  run: ReconcileRun,
  { futile, onRejected }: { readonly futile: FutileWrites; readonly onRejected: (key: string) => void },
): KubernetesClient {
  const { entry, key, writes, summary, unguarded } = run;
  const guards = [trackCalls(run)];
  if (writes) guards.push(futile.interceptor(writes));
  if (entry) guards.push(whileOwned(entry, { key, onRejected }));
  let client = unguarded.intercepted(...guards);
  if (writes) client = client.observed(futile.observer(writes));
  return summary ? client.observed(summary.observer) : client;
}

/** Records the API calls that a reconcile waits for. */
function trackCalls({ calls }: ReconcileRun): ClientInterceptor {
  return async (call, next) => {
    calls.add(call);
    try {
      return await next(call);
    } finally {
      calls.delete(call);
    }
  };
}
