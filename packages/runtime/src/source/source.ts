import type { Clock, Kind, KubernetesObject, Random } from '@kubewright/apimachinery';
import type { CachedKind } from '../cache/cached-kind.ts';
import type { EventHandler, HandlerContext } from '../handler/event-handler.ts';
import type { Logger } from '../log/logger.ts';
import type { Predicate } from '../predicate/predicate.ts';

/** A kind that a controller watches, and what it makes of the events. Made by {@link watch}. */
export interface Watch {
  readonly kind: Kind<KubernetesObject>;
  readonly handler: EventHandler<KubernetesObject>;
  readonly predicates: readonly Predicate<KubernetesObject>[];
  readonly cached: CachedKind;
}

/** Options of {@link watch}. */
export interface WatchSourceOptions<T extends KubernetesObject> extends Omit<CachedKind<T>, 'kind'> {
  /** All must hold for an event to reach the handler. */
  readonly predicates?: readonly Predicate<T>[];
}

/**
 * Watches a kind: its events, filtered by the predicates, go to the handler.
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
  // The store behind a kind holds only that kind's objects, so the erased handler is never given another type.
  return { kind, handler, predicates, cached: { kind, ...scope } } as unknown as Watch;
}

/**
 * A source of requests other than a watched kind. {@link channelSource}, {@link pollSource} and {@link kindSource} make the usual
 * ones; anything with these two members is one.
 */
export interface Source {
  readonly name: string;
  /** Starts to feed; resolves when what was there at the start is in the queue. Stops when `signal` is aborted. */
  start(context: HandlerContext, options: SourceStart): Promise<void>;
}

/** What a source is started with. */
export interface SourceStart {
  /** Aborted when the controller stops. */
  readonly signal: AbortSignal;
  readonly clock: Clock;
  readonly random: Random;
  /** Carries the controller's name. */
  readonly log: Logger;
}
