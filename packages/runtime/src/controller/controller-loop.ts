import {
  type Clock,
  formatObjectKey,
  type KubernetesObject,
  type ObjectKey,
  type Random,
} from '@kubewright/apimachinery';
import type { KubernetesClient } from '@kubewright/client';
import type { InformerCache } from '../cache/informer-cache.ts';
import { type ObjectForm, objectForm } from '../desired/object-form.ts';
import { type Finding, tellFinding } from '../detector/finding.ts';
import { FutileWrites } from '../detector/futile-writes.ts';
import type { ReconcileRequest } from '../handler/event-handler.ts';
import { type Moment, momentOf } from '../leader-election/tenure.ts';
import type { Logger } from '../log/logger.ts';
import type { RuntimeMetrics } from '../metrics/runtime-metrics.ts';
import type { EventRecorder } from '../recorder/event-recorder.ts';
import type { ReconcileTracing } from '../tracing/reconcile-tracing.ts';
import { type Activity, noActivity } from '../watchdog/activity.ts';
import { type WorkItem, WorkQueue } from '../workqueue/work-queue.ts';
import { type AfterReconcile, afterFailure, afterSuccess } from './after-reconcile.ts';
import { LoopContext } from './context.ts';
import type { ControllerDefinition } from './controller-definition.ts';
import type { ControllerMetrics, ReconcileResultLabel } from './controller-metrics.ts';
import { ControllerSources } from './controller-sources.ts';
import { FailureTelling } from './failure-telling.ts';
import type { KindResolver } from './kind-resolver.ts';
import { LoopTurn } from './loop-turn.ts';
import { ObjectReconcile } from './object-reconcile.ts';
import { type PartitionEntry, whileOwned } from './partition.ts';
import type { ReconcileOutcome } from './reconcile.ts';
import { ReconcileEvents } from './reconcile-events.ts';
import { ReconcileStories, type Story } from './reconcile-stories.ts';
import { type Lifetime, withTimeout } from './reconcile-timeout.ts';

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
  readonly tracing?: ReconcileTracing;
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
  /** Aborted when running reconciles are to be given up. */
  readonly #work = new AbortController();
  readonly #sources: ControllerSources;
  readonly #turn: LoopTurn;
  readonly #futile: FutileWrites;
  readonly #telling: FailureTelling;
  readonly #stories: ReconcileStories | undefined;
  readonly #metrics: ControllerMetrics | undefined;
  readonly #reconcileObject: ObjectForm;
  #workers: Promise<void>[] = [];
  #stopped: Promise<void> | undefined;

  constructor(definition: ControllerDefinition, parts: ControllerParts) {
    this.name = definition.name;
    this.#definition = definition;
    this.#reconcileObject = objectForm(definition);
    this.#parts = parts;
    this.#turn = new LoopTurn(parts.clock);
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
    this.#telling = new FailureTelling({ clock: parts.clock, recordsEvents: definition.errorEvents ?? true });
    this.#stories = ReconcileStories.for(parts.log, parts);
    this.#futile = new FutileWrites({
      cache: parts.cache,
      clock: parts.clock,
      fieldManager: this.#fieldManager,
      onFutile: (what) => this.#metrics?.futile(what),
    });
    this.#sources = new ControllerSources({
      ...parts,
      definition,
      log: this.#log,
      queue: this.queue,
      turn: this.#turn,
      onAsked: (key, by) => {
        this.#futile.asked(key, by && `${by.event.object.uid}/${by.event.object.resourceVersion}`);
        this.#stories?.asked(key, by);
      },
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
    return this.#sources.start(signal);
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
    this.#sources.stop(patience.reason);
    void this.queue.shutDown();
    const giveUp = (): void => this.#work.abort(patience.reason);
    if (patience.aborted) giveUp();
    else patience.addEventListener('abort', giveUp, { once: true });
    await Promise.all(this.#workers);
    patience.removeEventListener('abort', giveUp);
    this.#log.info('all workers finished');
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
      const pause = this.#turn.pause();
      if (pause) await pause;
    }
  }

  async #process(item: WorkItem): Promise<void> {
    const { clock, panicked } = this.#parts;
    const request = parseRequest(item.key);
    if (this.#definition.partition?.owns(request) === false) {
      this.queue.forget(item.key);
      this.queue.requeueAfter(item.key, undefined);
      this.#telling.forget(item.key);
      this.#sources.dropped(item.key);
      return;
    }
    const reconcileID = this.#parts.random.uid();
    const log = this.#log.with(this.#logFields(request, reconcileID));
    const events = new ReconcileEvents((regarding) => this.#parts.recorder(this.name, regarding));
    const startMs = clock.monotonic();
    const story = this.#stories?.begin(item.key);
    let nextMs: number | undefined;
    this.#metrics?.activeWorkers(1);
    const after: AfterReconcile = {
      queue: this.queue,
      metrics: this.#metrics,
      telling: this.#telling,
      isStopping: () => this.#work.signal.aborted,
      ...(this.#definition.recoverPanic === false && { panicked }),
      ...(story && {
        onNext: (inMs: number | undefined) => {
          nextMs = inMs;
        },
      }),
    };
    let label: ReconcileResultLabel = 'error';
    try {
      label = afterSuccess(item, await this.#traced({ request, reconcileID, log, events, story }), after);
      this.#telling.succeeded(item.key, { log, isThere: events.isBegun });
    } catch (error) {
      label = afterFailure(item, { error, log, events }, after);
    } finally {
      this.#metrics?.activeWorkers(-1);
      this.#metrics?.reconciled(label, (clock.monotonic() - startMs) / 1000);
      story?.ended(log, { failed: label === 'error', nextMs });
    }
  }

  #traced(run: Run): Promise<ReconcileOutcome> {
    const { tracing, client } = this.#parts;
    if (!tracing) return this.#limited({ ...run, client });
    const { primary } = this.#definition;
    const { namespace, name } = run.request;
    const attributes = {
      controller: this.name,
      reconcileID: run.reconcileID,
      ...(primary && { controllerGroup: primary.group, controllerKind: primary.kind }),
      'k8s.object.name': name,
      ...(namespace && { 'k8s.namespace.name': namespace }),
    };
    return tracing.reconcile(attributes, (calls) => this.#limited({ ...run, client: client.intercepted(calls) }));
  }

  async #limited(run: Run & { readonly client: KubernetesClient }): Promise<ReconcileOutcome> {
    const { clock } = this.#parts;
    const { reconcileTimeoutMs = 120_000, partition } = this.#definition;
    // What is abandoned can write no more, so its key may go to another replica.
    using entry = partition?.enter(run.request);
    const what = `reconcile of ${this.name} ${formatObjectKey(run.request)}`;
    const options = { clock, timeoutMs: reconcileTimeoutMs, signal: this.#work.signal, what };
    return await withTimeout((lifetime) => this.#call({ ...run, entry, lifetime }), options);
  }

  async #call(
    run: Run & {
      readonly client: KubernetesClient;
      readonly entry: PartitionEntry | undefined;
      readonly lifetime: Lifetime;
    },
  ): Promise<ReconcileOutcome> {
    const { definition, parts } = { definition: this.#definition, parts: this.#parts };
    const key = formatObjectKey(run.request);
    const mark = (parts.activity ?? noActivity).mark(this.name, key);
    const tell = (finding: Finding): void => tellFinding(finding, run);
    const writes = this.#futile.begin(key, { client: run.client, tell });
    const onRefused = (): void => this.#sources.dropped(key);
    const guards = run.entry ? [writes.interceptor, whileOwned(run.entry, { key, onRefused })] : [writes.interceptor];
    let made: KubernetesClient | undefined;
    const client = (): KubernetesClient => {
      if (made) return made;
      made = run.client.intercepted(...guards).observed(writes.observer);
      if (run.story) made = made.observed(run.story.observer);
      return made;
    };
    const contextFor = (primary: KubernetesObject | undefined, askedAt?: Moment): LoopContext =>
      new LoopContext({
        ...parts,
        ...run,
        client,
        checkPrimary: definition.fenced ?? true,
        askedAt,
        events: run.events.begin(primary),
        fieldManager: this.#fieldManager,
        primaryKind: definition.primary,
        primary,
        resumed: mark.resumed,
        intends: writes.intends,
      });
    try {
      if (definition.run.level === 'request') return await definition.run.reconcile(run.request, contextFor(undefined));
      const { primary, finalizers } = definition;
      const steps = new ObjectReconcile({
        kind: primary!,
        finalizers,
        reconcile: this.#reconcileObject,
        contextFor,
        parts: { cache: parts.cache, client, now: () => momentOf(parts.clock) },
      });
      return await steps.run(run.request, run.lifetime);
    } finally {
      mark.ended();
    }
  }

  get #fieldManager(): string {
    return this.#definition.fieldManager ?? this.#definition.name;
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
  readonly events: ReconcileEvents;
  readonly story: Story | undefined;
}

function parseRequest(key: string): ObjectKey {
  const slash = key.indexOf('/');
  return slash < 0 ? { name: key } : { namespace: key.slice(0, slash), name: key.slice(slash + 1) };
}
