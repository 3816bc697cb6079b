import type { Clock, KubernetesObject, ObjectKey, Random } from '@kubewright/apimachinery';
import type { KubernetesClient } from '@kubewright/client';
import { asCachedKind } from '../cache/cached-kind.ts';
import type { DeclaredKind } from '../cache/declared-kind.ts';
import type { InformerCache } from '../cache/informer-cache.ts';
import { objectForm } from '../desired/object-form.ts';
import { reportFinding } from '../detector/finding.ts';
import { FutileWrites, type WriteSession } from '../detector/futile-writes.ts';
import type { KindResolver } from '../discovery/kind-resolver.ts';
import { type Moment, momentOf } from '../fencing/tenure.ts';
import type { Logger } from '../log/logger.ts';
import type { ControllerMetrics, ReconcileResultLabel, RuntimeMetrics } from '../metrics/runtime-metrics.ts';
import { type Lifetime, LoopContext } from '../reconcile/context.ts';
import { nextRun } from '../reconcile/next-run.ts';
import type { ReconcileOutcome } from '../reconcile/reconcile.ts';
import type { EventRecorder } from '../recorder/event-recorder.ts';
import type { ReconcileTracing } from '../tracing/reconcile-tracing.ts';
import { type Activity, noActivity } from '../watchdog/activity.ts';
import type { TimedKey } from '../workqueue/waiting-keys.ts';
import { type PendingWork, type WorkItem, WorkQueue } from '../workqueue/work-queue.ts';
import type { ControllerDefinition } from './definition/controller-definition.ts';
import { type PartitionEntry, whileOwned } from './definition/partition.ts';
import { type AfterReconcile, afterFailure, afterSuccess } from './pipeline/after-reconcile.ts';
import { ObjectReconcile } from './pipeline/object-reconcile.ts';
import { ReconcileRun, type ReconcileRunParts } from './pipeline/reconcile-run.ts';
import { TimeLimit } from './pipeline/reconcile-timeout.ts';
import { type RunningReconcile, SlowReconciles } from './pipeline/slow-reconciles.ts';
import { FailureTelling } from './reports/failure-telling.ts';
import { ReconcileStories } from './reports/reconcile-stories.ts';
import { AwaitedEnds } from './sources/awaited-ends.ts';
import { ControllerSources } from './sources/controller-sources.ts';
import { LoopTurn } from './sources/loop-turn.ts';

/** The parts of the manager that a controller uses. */
export interface ControllerParts {
  readonly cache: InformerCache;
  readonly client: KubernetesClient;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly kinds: KindResolver;
  readonly activity?: Activity;
  /** Creates the recorder of a reconcile; its events are about `regarding` unless they say otherwise. */
  readonly recorder: (controller: string, regarding: KubernetesObject | undefined) => EventRecorder;
  readonly metrics?: RuntimeMetrics;
  readonly tracing?: ReconcileTracing;
  /** Called on a programming error in a controller that does not recover from them. */
  readonly panicked?: (error: unknown) => void;
  /** Called when a controller that starts late, after the others, fails to start. */
  readonly failed?: (error: unknown) => void;
}

/** Runs one declared controller: sources fill the queue, workers reconcile its keys. */
export class ControllerLoop {
  readonly name: string;
  readonly queue: WorkQueue;
  readonly #definition: ControllerDefinition;
  readonly #parts: ControllerParts;
  readonly #log: Logger;
  /** Aborted to cancel running reconciles. */
  readonly #work = new AbortController();
  readonly #sources: ControllerSources;
  readonly #turn: LoopTurn;
  readonly #futile: FutileWrites;
  readonly #telling: FailureTelling;
  readonly #stories: ReconcileStories | undefined;
  readonly #metrics: ControllerMetrics | undefined;
  readonly #runs: ReconcileRunParts;
  readonly #limit: TimeLimit;
  readonly #steps: ObjectReconcile | undefined;
  readonly #after: AfterReconcile;
  readonly #awaited = new AwaitedEnds();
  readonly #slow: SlowReconciles;
  #declared: Declared | undefined;
  #workers: Promise<void>[] = [];
  #stopped: Promise<void> | undefined;
  /** Work that was pending when the loop was stopped. */
  #left: PendingWork | undefined;
  /** Keys whose reconcile has succeeded since the stop, with the times at which they run again. */
  readonly #endedWell = new Map<string, readonly TimedKey[]>();

  constructor(definition: ControllerDefinition, parts: ControllerParts) {
    this.name = definition.name;
    this.#definition = definition;
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
    this.#runs = {
      log: this.#log,
      random: parts.random,
      primary,
      recorderOf: (regarding) => parts.recorder(definition.name, regarding),
    };
    const { reconcileTimeoutMs: timeoutMs = 120_000 } = definition;
    this.#limit = new TimeLimit({ clock: parts.clock, timeoutMs, signal: this.#work.signal });
    this.#steps = objectReconcile(definition, parts);
    this.#telling = new FailureTelling({ clock: parts.clock, recordsEvents: definition.errorEvents ?? true });
    this.#after = {
      queue: this.queue,
      metrics: this.#metrics,
      telling: this.#telling,
      isStopping: () => this.#work.signal.aborted,
      ...(definition.recoverPanic === false && { panicked: parts.panicked }),
    };
    this.#slow = new SlowReconciles(parts.clock);
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
      awaited: this.#awaited,
      onAsked: (key, by, afterMs) => {
        this.#futile.asked(key, by?.event.object);
        this.#stories?.asked(key, by, afterMs);
      },
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
    return this.#sources.start(signal);
  }

  /**
   * Takes over the keys that were pending when an earlier loop of this controller stopped. Watches replay their objects, but keys
   * from channels and requested requeues do not come again.
   */
  takeOver(before: ControllerLoop): void {
    if (!before.#left) return;
    const { working, timed, ...left } = before.#left;
    const ended = before.#endedWell;
    this.queue.takeOver({
      ...left,
      working: working.filter(({ key }) => !ended.has(key)),
      timed: [...timed.filter(({ key, slot }) => slot !== 'requeue' || !ended.has(key)), ...[...ended.values()].flat()],
    });
  }

  /**
   * Waits until it is known which of the required kinds are not served, and returns those.
   *
   * @throws KindNotServedError (KW3016) when such a kind is declared with `whenMissing: 'fail'`.
   */
  async missingKinds(signal: AbortSignal): Promise<readonly string[]> {
    const { watched = [], read = [] } = this.#declared ?? {};
    const declared = [...watched, ...read];
    await Promise.all(declared.map((each) => each.waitUntilKnown(signal)));
    return [...new Set(declared.filter((each) => each.isMissing).map(({ kind }) => kind.kind))];
  }

  /** Waits for the caches declared only for reads. */
  async waitForCaches(signal: AbortSignal): Promise<void> {
    await Promise.all((this.#declared?.read ?? []).map((each) => each.waitForSync(signal)));
  }

  /** Finds the declarations once: a program may change their namespaces from then on. */
  #declare(): Declared {
    const { watches, caches = [] } = this.#definition;
    const { cache } = this.#parts;
    return {
      watched: watches.map((watch) => cache.declare(watch.cached)),
      read: caches.map((each) => cache.declare(asCachedKind(each))),
    };
  }

  /** Starts the workers. */
  startWorkers(): void {
    const { maxConcurrentReconciles = 1 } = this.#definition;
    this.#log.info('starting workers', { 'worker count': maxConcurrentReconciles });
    this.#workers = Array.from({ length: maxConcurrentReconciles }, () => this.#worker());
  }

  /**
   * Accepts no more keys and waits for running reconciles.
   *
   * @param options.patience - aborted when running reconciles should be canceled.
   */
  stop(options: { readonly patience: AbortSignal }): Promise<void> {
    this.#stopped ??= this.#stop(options.patience);
    return this.#stopped;
  }

  async #stop(patience: AbortSignal): Promise<void> {
    this.#sources.stop(patience.reason);
    this.#left = this.queue.pending();
    void this.queue.shutDown();
    const giveUp = (): void => this.#work.abort(patience.reason);
    if (patience.aborted) giveUp();
    else patience.addEventListener('abort', giveUp, { once: true });
    await Promise.all(this.#workers);
    this.#slow.stop();
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
        // Only a rate limiter or a metric that throws gets here; the worker must survive it.
        this.#log.error('a worker stumbled', { key: item.key, error });
      } finally {
        this.queue.done(item.key);
      }
      const pause = this.#turn.pause();
      if (pause) await pause;
    }
  }

  async #process(item: WorkItem): Promise<void> {
    const { clock } = this.#parts;
    const request = parseRequest(item.key);
    this.#awaited.forget(item.key);
    if (this.#definition.partition?.owns(request) === false) {
      this.queue.forget(item.key);
      this.queue.requeueAfter(item.key, undefined);
      this.#telling.forget(item.key);
      this.#sources.dropped(item.key);
      return;
    }
    const startMs = clock.monotonic();
    const story = this.#stories?.begin(item.key);
    const run = new ReconcileRun(item.key, { parts: this.#runs, request, story });
    const running = this.#slow.begin(() => run.log);
    let nextMs: number | undefined;
    this.#metrics?.activeWorkers(1);
    const onNext = (inMs: number | undefined): void => {
      nextMs = inMs;
    };
    const after = story ? { ...this.#after, onNext } : this.#after;
    let label: ReconcileResultLabel = 'error';
    try {
      const outcome = await this.#traced(run, running);
      label = afterSuccess(item, outcome, after);
      if (this.#left) this.#noteEnd(item, outcome);
      if (this.#telling.isTroubled(item.key))
        this.#telling.succeeded(item.key, { log: run.log, isThere: run.events.isBegun });
    } catch (error) {
      label = afterFailure(item, { error, log: run.log, events: run.events }, after);
    } finally {
      this.#slow.ended(running);
      this.#metrics?.activeWorkers(-1);
      this.#metrics?.reconciled(label, (clock.monotonic() - startMs) / 1000);
      story?.ended(run.log, { failed: label === 'error', nextMs });
    }
  }

  /** Records the outcome of a key after the stop for the next term, because the queue accepts nothing more. */
  #noteEnd({ key, priority: given }: WorkItem, outcome: ReconcileOutcome): void {
    const next = outcome ? nextRun(outcome, key) : undefined;
    if (next === 'with back-off') return;
    const { priority = given } = outcome ?? {};
    const dueMs = this.#parts.clock.monotonic() + (next?.delayMs ?? 0);
    this.#endedWell.set(key, next ? [{ key, slot: 'requeue', dueMs, priority }] : []);
  }

  #traced(run: ReconcileRun, running: RunningReconcile): Promise<ReconcileOutcome> {
    const { tracing, client } = this.#parts;
    if (!tracing) return this.#limited(run, { client, running });
    const { primary } = this.#definition;
    const { namespace, name } = run.request;
    const attributes = {
      controller: this.name,
      reconcileID: run.reconcileID,
      ...(primary && { controllerGroup: primary.group, controllerKind: primary.kind }),
      'k8s.object.name': name,
      ...(namespace && { 'k8s.namespace.name': namespace }),
    };
    return tracing.reconcile(attributes, (calls) => this.#limited(run, { client: client.intercepted(calls), running }));
  }

  #limited(
    run: ReconcileRun,
    within: { readonly client: KubernetesClient; readonly running: RunningReconcile },
  ): Promise<ReconcileOutcome> {
    const entry = this.#definition.partition?.enter(run.request);
    const outcome = this.#limit.run(
      (lifetime) => this.#call(run, { ...within, entry, lifetime }),
      () => `reconcile of ${this.name} ${run.key}`,
    );
    // An abandoned reconcile can no longer write, so its key may move to another replica.
    return entry ? outcome.finally(() => entry[Symbol.dispose]()) : outcome;
  }

  async #call(run: ReconcileRun, within: Within): Promise<ReconcileOutcome> {
    const { key, request } = run;
    const { run: wanted, primary: primaryKind, fenced: checkPrimary = true } = this.#definition;
    const { activity = noActivity, cache, clock, random, kinds } = this.#parts;
    const mark = activity.mark(this.name, key);
    const writes = this.#futile.begin(key, {
      client: within.client,
      tell: (finding, written) => reportFinding({ finding, written }, run),
    });
    let made: KubernetesClient | undefined;
    const client = (): KubernetesClient => {
      made ??= this.#guarded(run, { ...within, writes });
      return made;
    };
    const contextFor = (primary: KubernetesObject | undefined, askedAt?: Moment): LoopContext =>
      new LoopContext({
        run,
        lifetime: within.lifetime,
        client,
        cache,
        clock,
        random,
        kinds,
        events: run.events.begin(primary),
        fieldManager: this.#fieldManager,
        primaryKind,
        primary,
        checkPrimary,
        askedAt,
        resumed: mark.resumed,
        writes,
        awaitEnd: (objectId) => this.#awaited.wait(key, objectId),
      });
    try {
      if (wanted.level === 'request') return await wanted.reconcile(request, contextFor(undefined));
      return await this.#steps!.run(request, { lifetime: within.lifetime, client, contextFor });
    } finally {
      writes.ended();
      mark.ended();
    }
  }

  /** Returns the client of a reconcile: its writes are observed, and allowed only while this replica owns the key. */
  #guarded(run: ReconcileRun, within: Within & { readonly writes: WriteSession }): KubernetesClient {
    const { client, entry, writes, running } = within;
    const onRefused = (): void => this.#sources.dropped(run.key);
    const guards = [running.interceptor, writes.interceptor];
    if (entry) guards.push(whileOwned(entry, { key: run.key, onRefused }));
    const guarded = client.intercepted(...guards).observed(writes.observer);
    return run.story ? guarded.observed(run.story.observer) : guarded;
  }

  get #fieldManager(): string {
    return this.#definition.fieldManager ?? this.#definition.name;
  }
}

/** Declarations of the kinds that a controller needs. */
interface Declared {
  readonly watched: readonly DeclaredKind[];
  readonly read: readonly DeclaredKind[];
}

/** What one reconcile works within. */
interface Within {
  readonly client: KubernetesClient;
  readonly entry: PartitionEntry | undefined;
  readonly lifetime: Lifetime;
  readonly running: RunningReconcile;
}

function objectReconcile(definition: ControllerDefinition, parts: ControllerParts): ObjectReconcile | undefined {
  const { run, primary, owns, finalizers, fieldManager = definition.name } = definition;
  if (run.level === 'request') return undefined;
  const { cache, clock } = parts;
  return new ObjectReconcile({
    kind: primary!,
    finalizers,
    reconcile: objectForm({ run, primary: primary!, owns, fieldManager }),
    cache,
    now: () => momentOf(clock),
  });
}

function parseRequest(key: string): ObjectKey {
  const slash = key.indexOf('/');
  return slash < 0 ? { name: key } : { namespace: key.slice(0, slash), name: key.slice(slash + 1) };
}
