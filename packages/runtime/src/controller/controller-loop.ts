import {
  type Clock,
  formatObjectKey,
  isConflict,
  type KubernetesObject,
  type ObjectKey,
  type Random,
} from '@kubewright/apimachinery';
import type { KubernetesClient } from '@kubewright/client';
import type { InformerCache } from '../cache/informer-cache.ts';
import { type ObjectForm, objectForm } from '../desired/object-form.ts';
import type { HandlerContext, ReconcileRequest } from '../handler/event-handler.ts';
import type { Logger } from '../log/logger.ts';
import type { RuntimeMetrics } from '../metrics/runtime-metrics.ts';
import type { Predicate } from '../predicate/predicate.ts';
import type { EventRecorder } from '../recorder/event-recorder.ts';
import type { Watch } from '../source/source.ts';
import { type Activity, noActivity } from '../watchdog/activity.ts';
import { type WorkItem, WorkQueue } from '../workqueue/work-queue.ts';
import { LoopContext } from './context.ts';
import type { ControllerDefinition } from './controller-definition.ts';
import type { ControllerMetrics, ReconcileResultLabel } from './controller-metrics.ts';
import type { KindResolver } from './kind-resolver.ts';
import { ObjectReconcile } from './object-reconcile.ts';
import { isPanic } from './panic.ts';
import type { ReconcileOutcome } from './reconcile.ts';
import { ReconcileTimeoutError, withTimeout } from './reconcile-timeout.ts';
import { TerminalError } from './terminal-error.ts';
import { StaleViewError } from './write-fence.ts';

/** What a controller needs of its manager. */
export interface ControllerParts {
  readonly cache: InformerCache;
  readonly client: KubernetesClient;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly kinds: KindResolver;
  readonly activity?: Activity;
  /** Makes the recorder of a reconcile; its events are about `regarding` unless they say otherwise. */
  readonly recorder: (controller: string, regarding: KubernetesObject | undefined) => EventRecorder;
  readonly metrics?: RuntimeMetrics;
  /** Told of a programming error in a controller that does not recover from these. */
  readonly panicked?: (error: unknown) => void;
}

/** Runs one declared controller: sources fill the queue, workers reconcile its keys. */
export class ControllerLoop {
  readonly name: string;
  readonly queue: WorkQueue;
  readonly #definition: ControllerDefinition;
  readonly #parts: ControllerParts;
  readonly #log: Logger;
  readonly #subscriptions: Disposable[] = [];
  /** Aborted when running reconciles are to be given up. */
  readonly #work = new AbortController();
  /** Aborted when sources are to feed no more. */
  readonly #feeding = new AbortController();
  #sources: Promise<void> | undefined;
  readonly #metrics: ControllerMetrics | undefined;
  readonly #reconcileObject: ObjectForm;
  #workers: Promise<void>[] = [];
  #stopped: Promise<void> | undefined;

  constructor(definition: ControllerDefinition, parts: ControllerParts) {
    this.name = definition.name;
    this.#definition = definition;
    this.#reconcileObject = objectForm(definition);
    this.#parts = parts;
    const { primary } = definition;
    this.#log = parts.log.with({
      controller: definition.name,
      ...(primary && { controllerGroup: primary.group, controllerKind: primary.kind }),
    });
    const metrics = parts.metrics?.controller(definition.name, {
      maxConcurrentReconciles: definition.maxConcurrentReconciles ?? 1,
      gauges: { workingFor: () => this.queue.workingFor() },
    });
    this.#metrics = metrics?.controller;
    this.queue = new WorkQueue({
      clock: parts.clock,
      ...(definition.rateLimiter && { rateLimiter: definition.rateLimiter }),
      ...(metrics && { metrics: metrics.queue }),
    });
  }

  /** Whether sources start before the process leads. */
  get warmUp(): boolean {
    return this.#definition.warmUp ?? false;
  }

  /** True while keys are worked on. */
  get isWorking(): boolean {
    return this.queue.workingFor().length > 0;
  }

  /** Subscribes to the caches and waits until all that is there is in the queue; begun once, however often it is called. */
  startSources(signal: AbortSignal): Promise<void> {
    this.#sources ??= this.#startSources(AbortSignal.any([signal, this.#feeding.signal]));
    return this.#sources;
  }

  async #startSources(signal: AbortSignal): Promise<void> {
    const { cache, clock, random } = this.#parts;
    const { watches, sources = [] } = this.#definition;
    const waits: Promise<void>[] = [];
    for (const watch of watches) {
      const declared = cache.declare(watch.cached);
      this.#subscriptions.push(declared.subscribe((event) => this.#handle(watch, event)));
      waits.push(declared.waitForSync(signal));
    }
    const context = this.#handlerContext();
    for (const source of sources) waits.push(source.start(context, { signal, clock, random, log: this.#log }));
    await Promise.all(waits);
  }

  /** Starts the workers. */
  startWorkers(): void {
    const { maxConcurrentReconciles = 1 } = this.#definition;
    this.#log.info('starting workers', { 'worker count': maxConcurrentReconciles });
    this.#workers = Array.from({ length: maxConcurrentReconciles }, () => this.#worker());
  }

  /**
   * Takes no more keys and waits for running reconciles.
   *
   * @param options.patience - aborted when reconciles are to be given up.
   */
  stop(options: { readonly patience: AbortSignal }): Promise<void> {
    this.#stopped ??= this.#stop(options.patience);
    return this.#stopped;
  }

  async #stop(patience: AbortSignal): Promise<void> {
    this.#feeding.abort(patience.reason);
    this.#sources?.catch(() => {
      // It was ended, or its failure was told to those who waited.
    });
    for (const subscription of this.#subscriptions.splice(0)) subscription[Symbol.dispose]();
    void this.queue.shutDown();
    const giveUp = (): void => this.#work.abort(patience.reason);
    if (patience.aborted) giveUp();
    else patience.addEventListener('abort', giveUp, { once: true });
    await Promise.all(this.#workers);
    patience.removeEventListener('abort', giveUp);
    this.#log.info('all workers finished');
  }

  #handle(watch: Watch, event: Parameters<Watch['handler']>[0]): void {
    if (!watch.predicates.every((predicate) => this.#lets(predicate, event))) return;
    watch.handler(event, this.#handlerContext());
  }

  /** A filter that fails lets the event through: one reconcile too many does no harm, one too few may. */
  #lets(predicate: Predicate<KubernetesObject>, event: Parameters<Watch['handler']>[0]): boolean {
    try {
      return predicate(event);
    } catch (error) {
      const { namespace, name } = event.object;
      this.#log.error('a predicate failed; the event counts', { namespace, name, event: event.type, error });
      return true;
    }
  }

  #handlerContext(): HandlerContext {
    const { primary } = this.#definition;
    const { cache } = this.#parts;
    return {
      primary,
      enqueue: (request, { priority, afterMs } = {}) => {
        const options = priority === undefined ? {} : { priority };
        const key = formatObjectKey(request);
        if (afterMs === undefined) this.queue.add(key, options);
        else this.queue.addAfter(key, { ...options, delayMs: afterMs });
      },
      primaryUid: (key) => (primary ? cache.peek(primary, key)?.uid : undefined),
    };
  }

  async #worker(): Promise<void> {
    for (;;) {
      const item = await this.queue.get();
      if (!item) return;
      try {
        await this.#process(item);
      } catch (error) {
        // Only a rate limiter or a metric that throws comes this far; the worker must outlive it.
        this.#log.error('a worker stumbled', { key: item.key, error });
      } finally {
        this.queue.done(item.key);
      }
    }
  }

  async #process(item: WorkItem): Promise<void> {
    const { clock } = this.#parts;
    const request = parseRequest(item.key);
    const reconcileID = this.#parts.random.uid();
    const log = this.#log.with(this.#logFields(request, reconcileID));
    const startMs = clock.monotonic();
    this.#metrics?.activeWorkers(1);
    let label: ReconcileResultLabel = 'error';
    try {
      label = this.#afterSuccess(item, await this.#reconcile({ request, reconcileID, log }));
    } catch (error) {
      label = this.#afterFailure(item, { error, log });
    } finally {
      this.#metrics?.activeWorkers(-1);
      this.#metrics?.reconciled(label, (clock.monotonic() - startMs) / 1000);
    }
  }

  #reconcile(run: Run): Promise<ReconcileOutcome> {
    const { clock } = this.#parts;
    const { reconcileTimeoutMs = 120_000 } = this.#definition;
    const what = `reconcile of ${this.name} ${formatObjectKey(run.request)}`;
    const options = { clock, timeoutMs: reconcileTimeoutMs, signal: this.#work.signal, what };
    return withTimeout((signal) => this.#call({ ...run, signal }), options);
  }

  async #call(run: Run & { readonly signal: AbortSignal }): Promise<ReconcileOutcome> {
    const { definition, parts } = { definition: this.#definition, parts: this.#parts };
    const mark = (parts.activity ?? noActivity).mark(this.name, formatObjectKey(run.request));
    const contextFor = (primary: KubernetesObject | undefined, isLive = false): LoopContext =>
      new LoopContext({
        ...parts,
        ...run,
        checkPrimary: !isLive && (definition.fenced ?? true),
        events: parts.recorder(this.name, primary),
        fieldManager: definition.fieldManager ?? definition.name,
        primaryKind: definition.primary,
        primary,
        resumed: mark.resumed,
      });
    try {
      if (definition.run.level === 'request') return await definition.run.reconcile(run.request, contextFor(undefined));
      const { primary, finalizers } = definition;
      const steps = new ObjectReconcile({
        kind: primary!,
        finalizers,
        reconcile: this.#reconcileObject,
        contextFor,
        parts,
      });
      return await steps.run(run.request, run.signal);
    } finally {
      mark.ended();
    }
  }

  #afterSuccess(item: WorkItem, outcome: ReconcileOutcome): ReconcileResultLabel {
    const { queue } = this;
    const { requeueAfterMs, requeue, priority = item.priority } = outcome ?? {};
    if (requeueAfterMs !== undefined && requeueAfterMs > 0) {
      queue.forget(item.key);
      queue.requeueAfter(item.key, { delayMs: requeueAfterMs, priority });
      return 'requeue_after';
    }
    queue.requeueAfter(item.key, undefined);
    if (requeue) {
      queue.addRateLimited(item.key, { priority });
      return 'requeue';
    }
    queue.forget(item.key);
    return 'success';
  }

  #afterFailure(item: WorkItem, failure: { readonly error: unknown; readonly log: Logger }): ReconcileResultLabel {
    const { error, log } = failure;
    if (error instanceof StaleViewError) {
      this.queue.addRateLimited(item.key, { priority: item.priority });
      log.info('the cached object was stale; trying again', { error });
      return 'requeue';
    }
    this.#metrics?.failed('error');
    if (error instanceof TerminalError) {
      this.#metrics?.failed('terminal');
      this.queue.forget(item.key);
      this.queue.requeueAfter(item.key, undefined);
      log.error('Reconciler error, not retried until something changes', { error });
      return 'error';
    }
    if (error instanceof ReconcileTimeoutError) this.#metrics?.failed('timeout');
    if (isPanic(error)) {
      this.#metrics?.failed('panic');
      if (this.#definition.recoverPanic === false) this.#parts.panicked?.(error);
    }
    this.queue.addRateLimited(item.key, { priority: item.priority });
    if (this.#work.signal.aborted) log.info('reconcile was given up: the manager stops');
    else if (isConflict(error)) log.info('the object has changed meanwhile; trying again', { error });
    else log.error('Reconciler error', { error });
    return 'error';
  }

  #logFields(request: ReconcileRequest, reconcileID: string): Record<string, unknown> {
    const { namespace = '', name } = request;
    const { primary } = this.#definition;
    return { ...(primary && { [primary.kind]: { name, namespace } }), namespace, name, reconcileID };
  }
}

interface Run {
  readonly request: ReconcileRequest;
  readonly reconcileID: string;
  readonly log: Logger;
}

function parseRequest(key: string): ObjectKey {
  const slash = key.indexOf('/');
  return slash < 0 ? { name: key } : { namespace: key.slice(0, slash), name: key.slice(slash + 1) };
}
