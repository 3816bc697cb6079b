import { formatObjectKey } from '@kubewright/apimachinery';
import type { ClientCall } from '@kubewright/client';
import { logEvents } from '../../log/log-events.ts';
import type { ReconcileRun } from './reconcile-run.ts';

/** Time until the first report of a slow reconcile, and from the first to the second report, in milliseconds. */
export const firstReportMs = 10_000;

/**
 * Reports a slow reconcile while it runs: after 10 s, 20 s, 40 s and so on, with the API calls it waits for. Returns the time of
 * the next report.
 */
export function reportIfSlow(run: ReconcileRun, nowMs: number): number {
  const { slow = { dueMs: run.startMs + firstReportMs, intervalMs: firstReportMs } } = run;
  if (slow.dueMs > nowMs) return slow.dueMs;
  const waitingFor = run.calls.size > 0 ? [...run.calls].map(nameOf) : ['no API call'];
  run.log.warn('still reconciling', { event: logEvents.reconcileSlow, forSeconds: secondsOf(run), waitingFor });
  slow.dueMs = nowMs + slow.intervalMs;
  slow.intervalMs *= 2;
  run.slow = slow;
  return slow.dueMs;
}

/** Reports the end of a reconcile that was reported as slow. */
export function reportSlowEnd(run: ReconcileRun): void {
  run.log.info('slow reconcile finished', { event: logEvents.reconcileSlowEnded, tookSeconds: secondsOf(run) });
}

function secondsOf({ clock, startMs }: ReconcileRun): number {
  return Math.round((clock.monotonic() - startMs) / 1000);
}

/** Formats a call as `update ConfigMap default/a`, or as method and path if it has no resource. */
function nameOf({ verb, target, request }: ClientCall): string {
  if (!target) return `${request.method} ${request.path.split('?', 1)[0]}`;
  const { kind, subresource, key, namespace } = target;
  const where = key ? formatObjectKey(key) : (namespace ?? 'all namespaces');
  return `${verb} ${kind} ${where}${subresource === undefined ? '' : ` ${subresource}`}`;
}
