import { isConflict, type StatusError } from '@kubewright/apimachinery';
import { StaleViewError } from '../../fencing/write-fence.ts';
import type { ControllerMetrics, ReconcileResultLabel } from '../../metrics/runtime-metrics.ts';
import { nextRun } from '../../reconcile/next-run.ts';
import { isPanic } from '../../reconcile/panic.ts';
import type { ReconcileOutcome } from '../../reconcile/reconcile.ts';
import { TerminalError } from '../../reconcile/terminal-error.ts';
import type { WorkItem, WorkQueue } from '../../workqueue/work-queue.ts';
import { NotOwnerError } from '../definition/partition.ts';
import type { FailureTelling, ToldFailure } from '../reports/failure-telling.ts';
import { ReconcileTimeoutError } from './reconcile-timeout.ts';

/** The parts of a controller that handle the end of a reconcile. */
export interface AfterReconcile {
  readonly queue: WorkQueue;
  readonly metrics: ControllerMetrics | undefined;
  readonly telling: FailureTelling;
  /** True if running reconciles are being aborted because the manager stops. */
  readonly isStopping: () => boolean;
  /** Called on a programming error, if the controller does not recover from them. */
  readonly panicked?: ((error: unknown) => void) | undefined;
  /** Called when the key is queued again, with the delay in milliseconds; undefined if the queue accepts no more keys. */
  readonly onNext?: (inMs: number | undefined) => void;
}

/**
 * Requeues a key as the result requests.
 *
 * @throws RangeError when the requested delay is not a number.
 */
export function afterSuccess(
  item: WorkItem,
  result: ReconcileOutcome,
  { queue, onNext }: AfterReconcile,
): ReconcileResultLabel {
  const { priority = item.priority } = result ?? {};
  const next = result ? nextRun(result, item.key) : undefined;
  if (typeof next === 'object') {
    queue.forget(item.key);
    queue.requeueAfter(item.key, { ...next, priority });
    onNext?.(next.delayMs);
    return 'requeue_after';
  }
  queue.requeueAfter(item.key, undefined);
  if (next === 'with back-off') {
    const inMs = queue.addRateLimited(item.key, { priority });
    onNext?.(inMs);
    return 'requeue';
  }
  queue.forget(item.key);
  return 'success';
}

/** Counts and reports a failure, and retries the key unless that cannot help. */
export function afterFailure(
  item: WorkItem,
  failure: Pick<ToldFailure, 'error' | 'log' | 'events'>,
  { queue, metrics, telling, isStopping, panicked, onNext }: AfterReconcile,
): ReconcileResultLabel {
  const { error, log } = failure;
  if (error instanceof NotOwnerError) {
    queue.forget(item.key);
    telling.forget(item.key);
    log.info('the key is another replica’s by now', { error });
    return 'requeue';
  }
  if (error instanceof StaleViewError) {
    const inMs = queue.addRateLimited(item.key, { priority: item.priority });
    onNext?.(inMs);
    log.info('the cached object was stale; trying again', { error });
    return 'requeue';
  }
  metrics?.failed('error');
  if (error instanceof TerminalError) {
    metrics?.failed('terminal');
    queue.forget(item.key);
    queue.requeueAfter(item.key, undefined);
    const message = 'Reconciler error, not retried until something changes';
    telling.failed(item.key, { ...failure, message, retryInMs: undefined });
    return 'error';
  }
  if (error instanceof ReconcileTimeoutError) metrics?.failed('timeout');
  if (isPanic(error)) {
    metrics?.failed('panic');
    panicked?.(error);
  }
  const retryInMs = queue.addRateLimited(item.key, { priority: item.priority });
  onNext?.(retryInMs);
  if (isStopping()) log.info('reconcile was given up: the manager stops');
  else if (isConflict(error) && !isOwnedByOthers(error))
    log.info('the object has changed meanwhile; trying again', { error });
  else telling.failed(item.key, { ...failure, message: 'Reconciler error', retryInMs });
  return 'error';
}

/** True for an unforced apply of fields owned by others: a newer version of the object does not resolve that conflict. */
function isOwnedByOthers({ status }: StatusError): boolean {
  return status.details?.causes?.some(({ reason }) => reason === 'FieldManagerConflict') ?? false;
}
