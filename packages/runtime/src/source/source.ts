import type { Clock, Kind, KubernetesObject, Random } from '@kubewright/apimachinery';
import type { CachedKind } from '../cache/cached-kind.ts';
import type { EventHandler, HandlerContext } from '../handler/event-handler.ts';
import type { Logger } from '../log/logger.ts';
import type { Predicate } from '../predicate/predicates.ts';

/**
 * A kind that a controller watches, and the handler for its events. Created by {@link watch}.
 *
 * @example
 * ```ts
 * const secrets: Watch = watch(Secret, enqueueForOwner(Database));
 * const databases = controller({ for: Database, watches: [secrets], reconcile });
 * ```
 */
export interface Watch {
  readonly kind: Kind<KubernetesObject>;
  readonly handler: EventHandler<KubernetesObject>;
  readonly predicates: readonly Predicate<KubernetesObject>[];
  readonly cached: CachedKind;
}

/** Options for {@link watch}. */
export interface WatchSourceOptions<T extends KubernetesObject> extends Omit<CachedKind<T>, 'kind'> {
  /** Filters; an event reaches the handler only if all predicates pass it. */
  readonly predicates?: readonly Predicate<T>[];
}

/**
 * Watches a kind and passes its events, filtered by the predicates, to the handler.
 *
 * @example
 * ```ts
 * watches: [watch(Secret, enqueueMapped((secret) => databasesUsing(secret.name)))]
 * ```
 */
export function watch<T extends KubernetesObject>(
  kind: Kind<T>,
  handler: EventHandler<T>,
  options: WatchSourceOptions<T> = {},
): Watch {
  const { predicates = [], ...scope } = options;
  // The store behind a kind holds only objects of that kind, so the type-erased handler never gets another type.
  return { kind, handler, predicates, cached: { kind, ...scope } } as unknown as Watch;
}

/**
 * A source of requests other than a watched kind. {@link channelSource}, {@link pollSource} and {@link kindSource}
 * create the usual sources; any object with these two properties works.
 *
 * @example
 * ```ts
 * const ticks: Source = {
 *   name: 'ticks',
 *   async start({ enqueue }, { clock, signal }) {
 *     for (; !signal.aborted; await sleep(clock, { ms: 60_000, signal })) enqueue({ name: 'all' });
 *   },
 * };
 * ```
 */
export interface Source {
  readonly name: string;
  /**
   * Starts the source; resolves once the keys of all objects that existed at the start are in the queue. Stops when
   * `signal` is aborted.
   */
  start(context: HandlerContext, options: SourceStart): Promise<void>;
}

/** The parts of a controller that a source receives when it starts. */
export interface SourceStart {
  /** Aborted when the controller stops. */
  readonly signal: AbortSignal;
  readonly clock: Clock;
  readonly random: Random;
  /** Logger that includes the controller's name in every line. */
  readonly log: Logger;
}

/** One run of a source: where its requests go, and the options it was started with. */
export interface SourceRun {
  readonly context: HandlerContext;
  readonly start: SourceStart;
}
