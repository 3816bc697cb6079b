import { asCachedKind } from '../cache/cached-kind.ts';
import type { DeclaredKind } from '../cache/declared-kind.ts';
import { logEvents } from '../log/log-events.ts';
import type { Logger } from '../log/logger.ts';
import type { ControllerMetrics, RuntimeMetrics } from '../metrics/runtime-metrics.ts';
import { nextRun } from '../reconcile/next-run.ts';
import type { ReconcileOutcome } from '../reconcile/reconcile.ts';
import type { TimedKey } from '../workqueue/waiting-keys.ts';
import { type PendingWork, WorkQueue, type WorkQueueMetrics } from '../workqueue/work-queue.ts';
import type { ControllerDefinition } from './definition/controller-definition.ts';
import type { ControllerParts } from './definition/controller-parts.ts';
import { ReconcilePipeline } from './pipeline/reconcile-pipeline.ts';
import type { ReconcileRun } from './pipeline/reconcile-run.ts';
import { AwaitedEnds } from './sources/awaited-ends.ts';
import { ControllerSources, type Watched } from './sources/controller-sources.ts';
import { EventLoopTurn } from './sources/event-loop-turn.ts';

/** Delay until a key whose worker failed is retried, in milliseconds. */
const retryMs = 1_000;

/** Runs one declared controller: sources fill the queue, workers reconcile its keys. */
export class ControllerLoop {
  readonly name: string;
  readonly queue: WorkQueue;
  readonly #definition: ControllerDefinition;
  readonly #parts: ControllerParts;
  readonly #log: Logger;
  readonly #sources: ControllerSources;
  readonly #turn: EventLoopTurn;
  readonly #pipeline: ReconcilePipeline;
  #declared: Declared | undefined;
  #workers: Promise<void>[] = [];
  #stopped: Promise<void> | undefined;
  /** Work that was pending when the loop was stopped. */
  #left: PendingWork | undefined;
  /** Keys whose reconcile has succeeded since the stop, with the times of their next runs. */
  readonly #succeededSinceStop = new Map<string, readonly TimedKey[]>();

  constructor(definition: ControllerDefinition, parts: ControllerParts) {
    this.name = definition.name;
    this.#definition = definition;
    this.#parts = parts;
    this.#log = controllerLog(definition, parts);
    this.#turn = new EventLoopTurn(parts.clock);
    const metrics = this.#makeMetrics();
    const awaited = new AwaitedEnds();
    this.queue = this.#makeQueue(metrics?.queue);
    this.#pipeline = this.#makePipeline(metrics?.controller, awaited);
    this.#sources = this.#makeSources(awaited);
  }

  #makeMetrics(): ReturnType<RuntimeMetrics['controller']> | undefined {
    const { name, maxConcurrentReconciles = 1 } = this.#definition;
    const gauges = { workingFor: () => this.queue.workingFor() };
    return this.#parts.metrics?.controller(name, { maxConcurrentReconciles, gauges });
  }

  #makeQueue(metrics: WorkQueueMetrics | undefined): WorkQueue {
    const { rateLimiter } = this.#definition;
    return new WorkQueue({
      clock: this.#parts.clock,
      rateLimiter,
      onLimiterError: (error) =>
        this.#log.error('the rate limiter failed', { event: logEvents.rateLimiterFailed, error }),
      metrics,
    });
  }

  #makePipeline(metrics: ControllerMetrics | undefined, awaited: AwaitedEnds): ReconcilePipeline {
    return new ReconcilePipeline({
      definition: this.#definition,
      parts: this.#parts,
      log: this.#log,
      queue: this.queue,
      metrics,
      awaited,
      onDropped: (key) => this.#sources.dropped(key),
      onSucceeded: (run, outcome) => {
        if (this.#left) this.#noteEnd(run, outcome);
      },
    });
  }

  #makeSources(awaited: AwaitedEnds): ControllerSources {
    const { cache, clock, random } = this.#parts;
    return new ControllerSources({
      cache,
      clock,
      random,
      definition: this.#definition,
      log: this.#log,
      queue: this.queue,
      turn: this.#turn,
      awaited,
      onRequested: (key, by, afterMs) => this.#pipeline.requested(key, by, afterMs),
    });
  }

  /** True if sources start before this process leads. */
  get warmUp(): boolean {
    return this.#definition.warmUp ?? false;
  }

  /** True while keys are being reconciled. */
  get isWorking(): boolean {
    return this.queue.workingFor().length > 0;
  }

  /** Subscribes to the caches and waits until all existing objects are queued; starts only once, even if called repeatedly. */
  startSources(signal: AbortSignal): Promise<void> {
    this.#declared ??= this.#declare();
    return this.#sources.start(signal, this.#declared.watched);
  }

  /**
   * Takes over the keys that were pending when an earlier loop of this controller stopped. Watches replay their objects, but keys
   * from channels and requested requeues are not replayed.
   */
  takeOver(before: ControllerLoop): void {
    if (!before.#left) return;
    const { working, timed, ...left } = before.#left;
    const succeeded = before.#succeededSinceStop;
    const stillTimed = timed.filter(({ key, slot }) => slot !== 'requeue' || !succeeded.has(key));
    this.queue.takeOver({
      ...left,
      working: working.filter(({ key }) => !succeeded.has(key)),
      timed: [...stillTimed, ...[...succeeded.values()].flat()],
    });
  }

  /**
   * Waits until it is known whether the required kinds are served; returns the kinds that are not served.
   *
   * @throws KindNotServedError (KW3016) when one of these kinds is declared with `whenMissing: 'fail'`.
   */
  async missingKinds(signal: AbortSignal): Promise<readonly string[]> {
    const { watched = [], read = [] } = this.#declared ?? {};
    const declared = [...watched.map((each) => each.declared), ...read];
    await Promise.all(declared.map((each) => each.waitUntilKnown(signal)));
    return [...new Set(declared.filter((each) => each.isMissing).map(({ kind }) => kind.kind))];
  }

  /** Waits for the caches of kinds that are only read. */
  async waitForCaches(signal: AbortSignal): Promise<void> {
    await Promise.all((this.#declared?.read ?? []).map((each) => each.waitForSync(signal)));
  }

  #declare(): Declared {
    const { watches, caches = [] } = this.#definition;
    const { cache } = this.#parts;
    return {
      watched: watches.map((watch) => ({ watch, declared: cache.declare(watch.cached) })),
      read: caches.map((each) => cache.declare(asCachedKind(each))),
    };
  }

  /** Starts the workers. */
  startWorkers(): void {
    const { maxConcurrentReconciles = 1 } = this.#definition;
    this.#log.info('starting workers', { event: logEvents.controllerStarted, 'worker count': maxConcurrentReconciles });
    this.#workers = Array.from({ length: maxConcurrentReconciles }, () => this.#worker());
  }

  /**
   * Accepts no more keys and waits for running reconciles.
   *
   * @param options.deadline - aborted when running reconciles should be canceled.
   */
  stop(options: { readonly deadline: AbortSignal }): Promise<void> {
    this.#stopped ??= this.#stop(options.deadline);
    return this.#stopped;
  }

  async #stop(deadline: AbortSignal): Promise<void> {
    this.#sources.stop(deadline.reason);
    this.#left = this.queue.pending();
    void this.queue.shutDown();
    const giveUp = (): void => this.#pipeline.cancel(deadline.reason);
    if (deadline.aborted) giveUp();
    else deadline.addEventListener('abort', giveUp, { once: true });
    await Promise.all(this.#workers);
    this.#pipeline.stop();
    deadline.removeEventListener('abort', giveUp);
    this.#log.info('all workers finished', { event: logEvents.controllerStopped });
  }

  async #worker(): Promise<void> {
    for (;;) {
      const item = await this.queue.get();
      if (!item) return;
      try {
        await this.#pipeline.process(item);
      } catch (error) {
        // Only errors thrown by metrics are caught here. The worker must survive them, and the key must not be lost.
        this.#log.error('a worker failed; retrying the key', { event: logEvents.workerFailed, key: item.key, error });
        this.queue.addAfter(item.key, { priority: item.priority, delayMs: retryMs });
      } finally {
        this.queue.done(item.key);
      }
      const pause = this.#turn.pause();
      if (pause) await pause;
    }
  }

  /** Records a key's outcome for the next term. Used after the stop, when the queue accepts no more keys. */
  #noteEnd({ key, priority: given }: ReconcileRun, outcome: ReconcileOutcome): void {
    const next = outcome ? nextRun(outcome, key) : undefined;
    if (next === 'with backoff') return;
    const { priority = given } = outcome ?? {};
    const dueMs = this.#parts.clock.monotonic() + (next?.delayMs ?? 0);
    this.#succeededSinceStop.set(key, next ? [{ key, slot: 'requeue', dueMs, priority }] : []);
  }
}

/** Declarations of the kinds that a controller needs. */
interface Declared {
  readonly watched: readonly Watched[];
  readonly read: readonly DeclaredKind[];
}

/** Returns the logger of a controller, with controller-runtime's keys. */
function controllerLog({ name, primary }: ControllerDefinition, { log }: ControllerParts): Logger {
  return log.with({
    controller: name,
    ...(primary && { controllerGroup: primary.group, controllerKind: primary.kind }),
  });
}
