import { type Clock, formatObjectKey, type KubernetesObject, type Random } from '@kubewright/apimachinery';
import type { InformerCache } from '../cache/informer-cache.ts';
import type { HandlerContext } from '../handler/event-handler.ts';
import { initialListPriority } from '../handler/event-priority.ts';
import type { Logger } from '../log/logger.ts';
import type { Predicate } from '../predicate/predicate.ts';
import type { Watch } from '../source/source.ts';
import type { WorkQueue } from '../workqueue/work-queue.ts';
import type { ControllerDefinition } from './controller-definition.ts';
import type { Partition } from './partition.ts';

/** What sources feed, and from what. */
export interface ControllerSourcesOptions {
  readonly definition: ControllerDefinition;
  readonly cache: InformerCache;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly queue: WorkQueue;
  /** Told of each key that is asked for, and by which object's event, if by one. */
  readonly onAsked: (key: string, by: { readonly uid: string; readonly resourceVersion: string } | undefined) => void;
}

/** Feeds a controller's queue: events of watched kinds pass predicates and handlers, other sources feed by themselves. */
export class ControllerSources {
  readonly #options: ControllerSourcesOptions;
  readonly #subscriptions: Disposable[] = [];
  /** Aborted when there is to be no more feeding. */
  readonly #stop = new AbortController();
  #started: Promise<void> | undefined;
  #event: Parameters<Watch['handler']>[0] | undefined;

  constructor(options: ControllerSourcesOptions) {
    this.#options = options;
  }

  /** Subscribes to the caches and waits until all that is there is in the queue; begun once, however often it is called. */
  start(signal: AbortSignal): Promise<void> {
    this.#started ??= this.#start(AbortSignal.any([signal, this.#stop.signal]));
    return this.#started;
  }

  stop(reason: unknown): void {
    this.#stop.abort(reason);
    this.#started?.catch(() => {
      // It was ended, or its failure was told to those who waited.
    });
    for (const subscription of this.#subscriptions.splice(0)) subscription[Symbol.dispose]();
  }

  async #start(signal: AbortSignal): Promise<void> {
    const { cache, clock, random, log, definition } = this.#options;
    const { watches, sources = [] } = definition;
    const waits: Promise<void>[] = [];
    for (const watch of watches) {
      const declared = cache.declare(watch.cached);
      this.#subscriptions.push(declared.subscribe((event) => this.#handle(watch, event)));
      waits.push(declared.waitForSync(signal));
    }
    const { partition } = definition;
    if (partition) this.#subscriptions.push(partition.subscribe(() => this.#enqueueOwned(partition)));
    const context = this.#handlerContext();
    for (const source of sources) waits.push(source.start(context, { signal, clock, random, log }));
    await Promise.all(waits);
  }

  /** The events of keys that became this replica's may have been long ago. */
  #enqueueOwned(partition: Partition): void {
    const { cache, queue, definition } = this.#options;
    const { primary } = definition;
    if (!primary || !cache.has(primary)) return;
    for (const { namespace, name } of cache.lister(primary).views()) {
      const request = namespace ? { namespace, name } : { name };
      if (partition.owns(request)) queue.add(formatObjectKey(request), { priority: initialListPriority });
    }
  }

  #handle(watch: Watch, event: Parameters<Watch['handler']>[0]): void {
    if (!watch.predicates.every((predicate) => this.#lets(predicate, event))) return;
    this.#event = event;
    try {
      watch.handler(event, this.#handlerContext());
    } finally {
      this.#event = undefined;
    }
  }

  /** A filter that fails lets the event through: one reconcile too many does no harm, one too few may. */
  #lets(predicate: Predicate<KubernetesObject>, event: Parameters<Watch['handler']>[0]): boolean {
    try {
      return predicate(event);
    } catch (error) {
      const { namespace, name } = event.object;
      this.#options.log.error('a predicate failed; the event counts', { namespace, name, event: event.type, error });
      return true;
    }
  }

  #handlerContext(): HandlerContext {
    const { cache, queue, log, definition, onAsked } = this.#options;
    const { primary } = definition;
    return {
      primary,
      enqueue: (request, { priority, afterMs } = {}) => {
        const options = priority === undefined ? {} : { priority };
        const key = formatObjectKey(request);
        onAsked(key, this.#event?.object);
        if (Number.isNaN(afterMs)) log.error('a delay is no number; the key is queued at once', { key });
        if (afterMs === undefined) queue.add(key, options);
        else queue.addAfter(key, { ...options, delayMs: afterMs });
      },
      primaryUid: (key) => (primary ? cache.peekMetadata(primary, key)?.uid : undefined),
    };
  }
}
