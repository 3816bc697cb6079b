import { type Clock, formatObjectKey, type KubernetesObject, type Random } from '@kubewright/apimachinery';
import type { DeclaredKind } from '../../cache/declared-kind.ts';
import type { InformerCache } from '../../cache/informer-cache.ts';
import type { HandlerContext, ReconcileRequest } from '../../handler/event-handler.ts';
import { logEvents } from '../../log/log-events.ts';
import type { Logger } from '../../log/logger.ts';
import type { Predicate } from '../../predicate/predicates.ts';
import type { Watch } from '../../source/source.ts';
import type { WorkQueue } from '../../workqueue/work-queue.ts';
import type { ControllerDefinition } from '../definition/controller-definition.ts';
import type { Cause } from '../reports/reconcile-summaries.ts';
import type { AwaitedEnds } from './awaited-ends.ts';
import type { EventLoopTurn } from './event-loop-turn.ts';
import { GainedKeys } from './gained-keys.ts';

/** Options for {@link ControllerSources}. */
export interface ControllerSourcesOptions {
  readonly definition: ControllerDefinition;
  readonly cache: InformerCache;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly queue: WorkQueue;
  /** Yields to the event loop while many objects are processed. */
  readonly turn: EventLoopTurn;
  /** Keys to reconcile once an object is removed, regardless of filters and handlers. */
  readonly awaited: AwaitedEnds;
  /** Called for each requested key, with the event that caused it, if any. */
  readonly onRequested: (key: string, by: Cause | undefined, afterMs: number | undefined) => void;
}

/** The event that a watch's handler receives. */
type EventOf = Parameters<Watch['handler']>[0];

/** A watch and the declaration that serves it. */
export interface Watched {
  readonly watch: Watch;
  readonly declared: DeclaredKind;
}

/** Feeds a controller's queue: events of watched kinds pass predicates and handlers; other sources add keys directly. */
export class ControllerSources {
  readonly #options: ControllerSourcesOptions;
  readonly #context: HandlerContext;
  readonly #subscriptions: Disposable[] = [];
  /** Aborted to stop feeding the queue. */
  readonly #stop = new AbortController();
  #started: Promise<void> | undefined;
  #gained: GainedKeys | undefined;
  #cause: Cause | undefined;

  constructor(options: ControllerSourcesOptions) {
    this.#options = options;
    this.#context = this.#handlerContext();
  }

  /** Subscribes to the caches and waits until all existing objects are queued; starts only once, even if called repeatedly. */
  start(signal: AbortSignal, watched: readonly Watched[]): Promise<void> {
    this.#started ??= this.#start(AbortSignal.any([signal, this.#stop.signal]), watched);
    return this.#started;
  }

  stop(reason: unknown): void {
    this.#stop.abort(reason);
    this.#started?.catch(() => {
      // The sources were stopped, or the failure was already reported to the callers of `start`.
    });
    for (const subscription of this.#subscriptions.splice(0)) subscription[Symbol.dispose]();
  }

  async #start(signal: AbortSignal, watched: readonly Watched[]): Promise<void> {
    const { clock, random, log, definition } = this.#options;
    const { sources = [] } = definition;
    const waits: Promise<void>[] = [];
    for (const { watch, declared } of watched) {
      const subscription = declared.subscribe((event) => this.#handle(watch, event));
      this.#subscriptions.push(subscription);
      waits.push(subscription.replayed, declared.waitForSync(signal));
    }
    const { partition } = definition;
    const gained =
      partition && new GainedKeys({ partition, walk: (isGained) => this.#showAll(watched, { isGained, signal }) });
    this.#gained = gained;
    const failed = (error: unknown): void =>
      log.error('cannot list the keys that this replica took over', { event: logEvents.gainedKeysFailed, error });
    if (gained) this.#subscriptions.push(partition.subscribe((share) => void gained.changed(share).catch(failed)));
    const context = this.#context;
    for (const source of sources) waits.push(source.start(context, { signal, clock, random, log }));
    await Promise.all(waits);
    // Keys that are already queued are known to belong to this replica, so the next membership change need not queue
    // them again.
    await gained?.changed();
  }

  /** Records that work on a key was skipped because another replica owned it. */
  dropped(key: string): void {
    this.#gained?.dropped(key);
  }

  /** Passes all cached objects to the watches, as on startup, and queues the newly owned keys. */
  async #showAll(
    watched: readonly Watched[],
    options: { readonly isGained: (request: ReconcileRequest) => boolean; readonly signal: AbortSignal },
  ): Promise<void> {
    const { isGained, signal } = options;
    const { definition, turn } = this.#options;
    const asAlways = this.#context;
    const enqueue: HandlerContext['enqueue'] = (request, how) => {
      if (isGained(request)) asAlways.enqueue(request, how);
    };
    const context = { ...asAlways, enqueue };
    for (const { watch, declared } of watched) {
      // The first watch of an object controller is for its own kind; its keys are the keys of the objects themselves.
      const isOwn = definition.run.level === 'object' && watch === definition.watches[0];
      for (const object of declared.lister.views()) {
        if (signal.aborted) return;
        // Filters may decode objects, so skip objects that need no reconcile.
        if (!isOwn || isGained(object.key)) this.#show(watch, { object, context });
        const pause = turn.pause();
        if (pause) await pause;
      }
    }
  }

  #show(watch: Watch, what: { readonly object: EventOf['object']; readonly context: HandlerContext }): void {
    const { object, context } = what;
    try {
      this.#handle(watch, { type: 'create', object, isInInitialList: true }, context);
    } catch (error) {
      const { namespace, name } = object;
      this.#options.log.error('an event handler failed', {
        event: logEvents.handlerFailed,
        namespace,
        name,
        type: 'create',
        error,
      });
    }
  }

  #handle(watch: Watch, event: EventOf, context = this.#context): void {
    if (event.type === 'delete') this.#ended(watch, event);
    if (!watch.predicates.every((predicate) => this.#lets(predicate, event))) return;
    this.#cause = { kind: watch.kind.kind, event };
    try {
      watch.handler(event, context);
    } finally {
      this.#cause = undefined;
    }
  }

  #ended({ kind: { kind, group } }: Watch, event: EventOf): void {
    const { awaited, queue, onRequested } = this.#options;
    if (awaited.size === 0) return;
    for (const key of awaited.ended(`${kind}.${group} ${formatObjectKey(event.object.key)}`)) {
      onRequested(key, { kind, event }, undefined);
      queue.add(key);
    }
  }

  /**
   * Reports whether the predicate accepts the event. If the predicate throws, the event is accepted, because an extra
   * reconcile is harmless, but a lost event may not be.
   */
  #lets(predicate: Predicate<KubernetesObject>, event: EventOf): boolean {
    try {
      return predicate(event);
    } catch (error) {
      const { namespace, name } = event.object;
      this.#options.log.error('predicate failed; handling the event anyway', {
        event: logEvents.predicateFailed,
        namespace,
        name,
        type: event.type,
        error,
      });
      return true;
    }
  }

  #handlerContext(): HandlerContext {
    const { cache, queue, log, definition, onRequested } = this.#options;
    const { primary } = definition;
    return {
      primary,
      enqueue: (request, { priority, afterMs } = {}) => {
        const options = priority === undefined ? {} : { priority };
        const key = formatObjectKey(request);
        onRequested(key, this.#cause, afterMs);
        if (Number.isNaN(afterMs))
          log.error('invalid delay; the key is queued immediately', { event: logEvents.delayInvalid, key });
        if (afterMs === undefined) queue.add(key, options);
        else queue.addAfter(key, { ...options, delayMs: afterMs });
      },
      primaryUid: (key) => (primary ? cache.peekMetadata(primary, key)?.uid : undefined),
    };
  }
}
