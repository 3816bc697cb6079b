import type { ObjectKey } from '@kubewright/apimachinery';
import { FutileWrites } from '../../detector/futile-writes.ts';
import type { Logger } from '../../log/logger.ts';
import type { ControllerMetrics, ReconcileResultLabel } from '../../metrics/runtime-metrics.ts';
import type { ReconcileOutcome } from '../../reconcile/reconcile.ts';
import { RememberedApplies } from '../../reconcile/remembered-applies.ts';
import type { WorkItem, WorkQueue } from '../../workqueue/work-queue.ts';
import type { ControllerDefinition } from '../definition/controller-definition.ts';
import type { ControllerParts } from '../definition/controller-parts.ts';
import { FailureReporter } from '../reports/failure-reporter.ts';
import { type Cause, ReconcileSummaries } from '../reports/reconcile-summaries.ts';
import type { AwaitedEnds } from '../sources/awaited-ends.ts';
import { applyFailure, applyOutcome, type ResultParts } from './apply-result.ts';
import { callReconciler } from './call-reconciler.ts';
import { guardedClient, holdKey, observeReconcile } from './guard-writes.ts';
import { limitTime } from './limit-time.ts';
import { ReconcileRun, type ReconcileRunParts, type Stage, type Step } from './reconcile-run.ts';
import { RunningReconciles } from './running-reconciles.ts';
import { reportSlowEnd } from './slow-reconciles.ts';
import { traceReconcile } from './trace-reconcile.ts';

export interface PipelineOptions {
  readonly definition: ControllerDefinition;
  readonly parts: ControllerParts;
  /** The controller's logger. */
  readonly log: Logger;
  readonly metrics: ControllerMetrics | undefined;
  readonly queue: WorkQueue;
  readonly awaited: AwaitedEnds;
  /** Called with a key whose work is skipped or cut short because another replica owns the key. */
  readonly onDropped: (key: string) => void;
  /** Called after a reconcile that succeeded. */
  readonly onSucceeded: (run: ReconcileRun, outcome: ReconcileOutcome) => void;
}

/**
 * The path of a reconcile, from a key to the next run of that key:
 *
 * 1. take the key, unless another replica owns it (`#take`)
 * 2. trace it, if the manager traces (`traceReconcile`)
 * 3. hold the key for this replica, if replicas share the keys (`holdKey`)
 * 4. limit its time (`limitTime`), and report slowness (`RunningReconciles`)
 * 5. observe its writes, and tell the watchdog that the reconcile is running (`observeReconcile`)
 * 6. read the object, and handle finalizers (`ReadObject`)
 * 7. build the context and call the controller's function (`callReconciler`)
 * 8. apply the result or the failure to the queue, and report it (`applyOutcome`, `applyFailure`)
 *
 * Stages 2 to 7 are composed once per controller, so a disabled stage costs nothing, and a reconcile creates no closures to
 * pass through them.
 */
export class ReconcilePipeline {
  readonly #options: PipelineOptions;
  /** Aborted to cancel running reconciles. */
  readonly #work = new AbortController();
  readonly #futile: FutileWrites;
  readonly #applies: RememberedApplies;
  readonly #summaries: ReconcileSummaries | undefined;
  readonly #running: RunningReconciles;
  readonly #runs: ReconcileRunParts;
  readonly #reconcile: Step;
  readonly #results: ResultParts;

  constructor(options: PipelineOptions) {
    const { definition, parts, metrics } = options;
    const { cache, clock } = parts;
    const { name, fieldManager = name, reconcileTimeoutMs: timeoutMs = 120_000 } = definition;
    this.#options = options;
    this.#futile = new FutileWrites({ cache, clock, fieldManager, onFutile: (what) => metrics?.futile(what) });
    this.#applies = new RememberedApplies(clock);
    this.#summaries = ReconcileSummaries.for(parts.log, parts);
    this.#running = new RunningReconciles({ clock, timeoutMs, signal: this.#work.signal });
    this.#runs = this.#runParts();
    const call = callReconciler(definition, { ...parts, applies: this.#applies });
    this.#reconcile = this.#stages().reduceRight((next, stage) => stage(next), call);
    this.#results = this.#resultParts();
  }

  /** Records what requested a key. */
  requested(key: string, by: Cause | undefined, afterMs: number | undefined): void {
    if (by?.event.type === 'delete') this.#applies.forget(by.event.object.uid);
    this.#futile.requested(key, by?.event.object);
    this.#summaries?.requested(key, by, afterMs);
  }

  /** Reconciles a key. Errors of the controller's function are handled, not thrown. */
  async process(item: WorkItem): Promise<void> {
    const run = this.#take(item);
    if (!run) return;
    let label: ReconcileResultLabel = 'error';
    try {
      const outcome = await this.#reconcile(run);
      label = applyOutcome(run, outcome, this.#results);
      this.#options.onSucceeded(run, outcome);
    } catch (error) {
      label = applyFailure(run, error, this.#results);
    } finally {
      this.#end(run, label);
    }
  }

  /** Cancels running reconciles. */
  cancel(reason: unknown): void {
    this.#work.abort(reason);
  }

  /** Ends the reports about slow reconciles. */
  stop(): void {
    this.#running.stop();
  }

  /** Returns the stages between taking the key and applying the result, outermost first. */
  #stages(): readonly Stage[] {
    const { definition, parts } = this.#options;
    const { name: controller, partition } = definition;
    const { tracing, client, activity } = parts;
    return [
      ...(tracing ? [traceReconcile(tracing, { definition, client })] : []),
      ...(partition ? [holdKey(partition)] : []),
      limitTime(this.#work.signal),
      observeReconcile(this.#futile, { controller, activity }),
    ];
  }

  #runParts(): ReconcileRunParts {
    const { definition, parts, log, awaited, onDropped } = this.#options;
    const { name: controller, primary } = definition;
    const { clock, random, client, recorder } = parts;
    const guards = { futile: this.#futile, onRejected: onDropped };
    return {
      controller,
      log,
      clock,
      random,
      client,
      primary,
      recorderOf: (regarding) => recorder(controller, regarding),
      guarded: (run) => guardedClient(run, guards),
      awaitEnd: (key, objectId) => awaited.wait(key, objectId),
    };
  }

  #resultParts(): ResultParts {
    const { definition, parts, queue, metrics } = this.#options;
    return {
      queue,
      metrics,
      reporter: new FailureReporter({ clock: parts.clock, recordsEvents: definition.errorEvents ?? true }),
      isStopping: () => this.#work.signal.aborted,
      ...(definition.recoverPanic === false && { panicked: parts.panicked }),
    };
  }

  /** Starts the reconcile of a key; returns undefined if another replica owns the key. */
  #take(item: WorkItem): ReconcileRun | undefined {
    const { definition, awaited, queue, metrics, onDropped } = this.#options;
    const { key } = item;
    const request = parseRequest(key);
    awaited.forget(key);
    if (definition.partition?.owns(request) === false) {
      queue.forget(key);
      queue.requeueAfter(key, undefined);
      this.#results.reporter.forget(key);
      onDropped(key);
      return undefined;
    }
    const run = new ReconcileRun(item, { parts: this.#runs, request, summary: this.#summaries?.begin(key) });
    this.#running.add(run);
    metrics?.activeWorkers(1);
    return run;
  }

  #end(run: ReconcileRun, label: ReconcileResultLabel): void {
    const { metrics } = this.#options;
    this.#running.delete(run);
    if (run.slow) reportSlowEnd(run);
    metrics?.activeWorkers(-1);
    metrics?.reconciled(label, (run.clock.monotonic() - run.startMs) / 1000);
    run.summary?.ended(run.log, { failed: label === 'error', nextMs: run.nextMs });
  }
}

function parseRequest(key: string): ObjectKey {
  const slash = key.indexOf('/');
  return slash < 0 ? { name: key } : { namespace: key.slice(0, slash), name: key.slice(slash + 1) };
}
