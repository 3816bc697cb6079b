import { isConflict, type StatusError } from '@kubewright/apimachinery';
import { StaleViewError } from '../../fencing/write-fence.ts';
import { logEvents } from '../../log/log-events.ts';
import type { ControllerMetrics, ReconcileResultLabel } from '../../metrics/runtime-metrics.ts';
import { nextRun } from '../../reconcile/next-run.ts';
import type { ReconcileOutcome } from '../../reconcile/reconcile.ts';
import { findError, TerminalError } from '../../reconcile/terminal-error.ts';
import type { WorkQueue } from '../../workqueue/work-queue.ts';
import { NotOwnerError } from '../definition/partition.ts';
import type { FailureReporter } from '../reports/failure-reporter.ts';
import { ReconcileTimeoutError } from './limit-time.ts';
import type { ReconcileRun } from './reconcile-run.ts';

/** The parts of a controller that handle the end of a reconcile. */
export interface ResultParts {
  readonly queue: WorkQueue;
  readonly metrics: ControllerMetrics | undefined;
  readonly reporter: FailureReporter;
  /** True if running reconciles are being aborted because the manager stops. */
  readonly isStopping: () => boolean;
  /** Called on a programming error, if the controller does not recover from programming errors. */
  readonly panicked?: ((error: unknown) => void) | undefined;
}

/**
 * Requeues a key as the result requests.
 *
 * @throws RangeError when the requested delay is not a number.
 */
export function applyOutcome(run: ReconcileRun, outcome: ReconcileOutcome, parts: ResultParts): ReconcileResultLabel {
  const label = requeue(run, outcome, parts.queue);
  const { reporter } = parts;
  if (reporter.isTroubled(run.key)) reporter.succeeded(run.key, { log: run.log, isThere: run.events.isBegun });
  return label;
}

function requeue(run: ReconcileRun, outcome: ReconcileOutcome, queue: WorkQueue): ReconcileResultLabel {
  const { key } = run;
  const { priority = run.priority } = outcome ?? {};
  const next = outcome ? nextRun(outcome, key) : undefined;
  if (typeof next === 'object') {
    queue.forget(key);
    queue.requeueAfter(key, { ...next, priority });
    run.nextMs = next.delayMs;
    return 'requeue_after';
  }
  queue.requeueAfter(key, undefined);
  if (next === 'with backoff') {
    run.nextMs = queue.addRateLimited(key, { priority });
    return 'requeue';
  }
  queue.forget(key);
  return 'success';
}

/** Counts and reports a failure, and retries the key if a retry can help. */
export function applyFailure(
  run: ReconcileRun,
  error: unknown,
  { queue, metrics, reporter, isStopping, panicked }: ResultParts,
): ReconcileResultLabel {
  const { key, priority, log, events } = run;
  const known = findError(error, isKnown);
  if (known instanceof NotOwnerError) {
    queue.forget(key);
    reporter.forget(key);
    log.info('the key now belongs to another replica', { event: logEvents.reconcileMoved, error: known.message });
    return 'requeue';
  }
  if (known instanceof StaleViewError) {
    run.nextMs = queue.addRateLimited(key, { priority });
    log.info('the cached object was stale; retrying', { event: logEvents.reconcileStale, error: known.message });
    return 'requeue';
  }
  metrics?.failed('error');
  if (known instanceof TerminalError) {
    metrics?.failed('terminal');
    queue.forget(key);
    queue.requeueAfter(key, undefined);
    const message = 'Reconciler error, not retried until the next event';
    reporter.failed(key, { error, log, events, message, retryInMs: undefined });
    return 'error';
  }
  if (known instanceof ReconcileTimeoutError) metrics?.failed('timeout');
  if (isPanic(error)) {
    metrics?.failed('panic');
    panicked?.(error);
  }
  const retryInMs = queue.addRateLimited(key, { priority });
  run.nextMs = retryInMs;
  if (isStopping()) log.info('reconcile aborted: the manager is stopping', { event: logEvents.reconcileAborted });
  else if (isConflict(known) && !isOwnedByOthers(known))
    log.info('the object has changed; retrying', { event: logEvents.reconcileConflict, error: known.message });
  else reporter.failed(key, { error, log, events, message: 'Reconciler error', retryInMs });
  return 'error';
}

/**
 * An error with its own handling, even as the cause of another error. Errors that are part of normal operation are logged without
 * a stack.
 */
type KnownError = NotOwnerError | StaleViewError | TerminalError | ReconcileTimeoutError | StatusError;

function isKnown(error: unknown): error is KnownError {
  return (
    error instanceof NotOwnerError ||
    error instanceof StaleViewError ||
    error instanceof TerminalError ||
    error instanceof ReconcileTimeoutError ||
    isConflict(error)
  );
}

/**
 * Reports whether the conflict comes from an unforced apply of fields that other managers own. Reading a newer version
 * of the object does not resolve such conflicts.
 */
function isOwnedByOthers({ status }: StatusError): boolean {
  return status.details?.causes?.some(({ reason }) => reason === 'FieldManagerConflict') ?? false;
}

/**
 * Reports whether the failure indicates a bug in the program, where Go would panic. A `TypeError` with a cause is how
 * `fetch` reports a lost connection; errors with a code come from Node's own APIs.
 */
function isPanic(error: unknown): boolean {
  if (!(error instanceof TypeError || error instanceof ReferenceError || error instanceof RangeError)) return false;
  return error.cause === undefined && !('code' in error);
}
