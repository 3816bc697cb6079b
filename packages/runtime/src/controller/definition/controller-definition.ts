import type { Kind, KubernetesObject, Stored } from '@kubewright/apimachinery';
import type { CachedKind } from '../../cache/cached-kind.ts';
import type { DesiredState, ExactStatus } from '../../desired/desired-state.ts';
import type { Finalizer } from '../../desired/finalizer.ts';
import type { ObjectRun } from '../../desired/object-form.ts';
import type { Predicate } from '../../predicate/predicates.ts';
import type { Observed } from '../../reconcile/observed-children.ts';
import type { ReconcileContext, ReconcileOutcome, Reconciler } from '../../reconcile/reconcile.ts';
import type { Source, Watch } from '../../source/source.ts';
import type { RateLimiter } from '../../workqueue/rate-limiter.ts';
import type { Partition, ShardedOptions } from './partition.ts';

/** Settings shared by object controllers and request controllers. */
export interface ControllerSettings {
  /** Additional kinds whose events trigger reconciles. */
  readonly watches?: readonly Watch[];
  /** Event sources other than watched kinds. */
  readonly sources?: readonly Source[];
  /** Kinds that are only read from the cache. */
  readonly caches?: readonly (CachedKind | Kind<KubernetesObject>)[];
  /**
   * Maximum number of keys that are reconciled concurrently. Two workers never reconcile the same key at the same time, except
   * after a reconcile that ignored its signal: see {@link ControllerSettings.reconcileTimeoutMs}.
   *
   * @defaultValue 1
   */
  readonly maxConcurrentReconciles?: number;
  /**
   * Time limit of a reconcile, in milliseconds; 0 disables it. At the limit, the reconcile's signal is aborted. A
   * reconcile that has not returned ten seconds later is abandoned, and its key becomes available again. JavaScript
   * cannot stop a function, so an abandoned reconcile may still run concurrently with the next reconcile of its key. An
   * abandoned reconcile can no longer write through its context, but other side effects cannot be prevented.
   *
   * @defaultValue 120_000
   */
  readonly reconcileTimeoutMs?: number;
  /**
   * Delays retries of failed keys: {@link exponentialRateLimiter}, {@link bucketRateLimiter}, {@link maxOfRateLimiter} or your own.
   *
   * @defaultValue per-key backoff, 5 ms doubling to 1,000 s
   */
  readonly rateLimiter?: RateLimiter;
  /**
   * Field manager of the controller's writes. Two controllers of one kind need different names: each controller prunes
   * objects and fields that were applied under its name and are no longer desired.
   *
   * @defaultValue the controller's name
   */
  readonly fieldManager?: string;
  /**
   * True to read the reconciled object live before a reconcile's first write and compare UID, generation and deletion timestamp,
   * so that a lagging cache causes a retry instead of a wrong write. Costs one small `get` per reconcile that writes.
   *
   * @defaultValue true
   */
  readonly fenced?: boolean;
  /** True to run the controller only on the leader, if leader election is enabled. @defaultValue true */
  readonly needLeaderElection?: boolean;
  /**
   * True to fill the queue on followers too, so a new leader does not have to process all objects first. The queue
   * holds every key once. Mirrors controller-runtime's `EnableWarmup`.
   *
   * @defaultValue false
   */
  readonly warmUp?: boolean;
  /**
   * True to retry programming errors (the engine's `TypeError`, `ReferenceError` and `RangeError`) like any other
   * failure; false to stop the manager, so that the process restarts. In both cases, the errors count as panics.
   *
   * @defaultValue true
   */
  readonly recoverPanic?: boolean;
  /**
   * True to record a Warning event `ReconcileError` on the object for the first of several equal failures, unless the reconcile
   * recorded a Warning itself. The event contains the error message, which anyone who can read events can see.
   *
   * @defaultValue true
   */
  readonly errorEvents?: boolean;
  /**
   * True to share the controller's keys between replicas instead of electing a leader: each key is reconciled by one
   * replica at a time. The manager's `sharding` option defines which replicas form a group. A `requestController` must
   * list its keys too: `sharded: { keys: () => bucketKeys() }`. See docs/sharding.md.
   *
   * @defaultValue false
   */
  readonly sharded?: boolean | ShardedOptions;
}

/** Options shared by both forms of {@link controller}. */
export interface ControllerOfObjects<T extends KubernetesObject> extends ControllerSettings {
  /** Name in metrics and logs, and the default field manager; unique in a manager. @defaultValue the kind in lower case */
  readonly name?: string;
  /**
   * The kind to reconcile. A manager may have several controllers of one kind: every change triggers all of them, each
   * has its own queue, and each prunes only the children it has applied. Let only one controller write the status.
   */
  readonly for: Kind<T>;
  /** Kinds of children that this controller creates; their events reconcile the controlling owner. */
  readonly owns?: readonly Kind<KubernetesObject>[];
  /** Filters for the primary kind's events. */
  readonly predicates?: readonly Predicate<T>[];
  /** Restricts the primary kind's cache. `metadataOnly` is rejected (KW3042), because a reconcile needs the whole object. */
  readonly cached?: Omit<CachedKind<T>, 'kind'>;
  /**
   * Cleanup functions by finalizer name. The finalizers are added to the object before its first reconcile. Once the
   * object is being deleted, the functions run in this order instead of `reconcile`, and each finalizer is removed once
   * its function has finished the cleanup.
   */
  readonly finalizers?: Readonly<Record<string, Finalizer<T>>>;
  /**
   * Selects the objects that get the finalizers. An object that has the finalizers but is no longer selected is cleaned
   * up by the same functions, as if it were being deleted. Once the cleanup is done, the object is reconciled.
   *
   * @example
   * ```ts
   * const sites = controller({
   *   for: Site,
   *   needsFinalizers: ({ spec }) => spec.domain !== undefined,
   *   finalizers: { 'example.com/domain': releaseDomain },
   *   reconcile: registerDomain,
   * });
   * ```
   * @defaultValue all objects
   */
  readonly needsFinalizers?: (object: Stored<T>) => boolean;
}

/** {@inheritDoc ReconcileOptions.reconcile} */
export type Reconcile<T extends KubernetesObject> = (
  object: Stored<T>,
  context: ReconcileContext<T>,
) => Promise<ReconcileOutcome | DesiredState<T>>;

/** {@inheritDoc DesiredOptions.desired} */
export type Desired<T extends KubernetesObject> = (object: Stored<T>, observed: Observed) => DesiredState<T>;

/**
 * A controller whose function performs the changes. It does not declare `desired` as undefined: the compiler then reports a
 * mistake within a desired state at its place, not at the option.
 */
export interface ReconcileOptions<T extends KubernetesObject> extends ControllerOfObjects<T> {
  /**
   * Reconciles the cluster to match `object`, which is frozen. Called by one worker at a time per key. It can make
   * changes, return the desired state and leave the rest to the framework, or combine both.
   */
  readonly reconcile: Reconcile<T>;
}

/** A controller whose function returns the desired state. */
export interface DesiredOptions<T extends KubernetesObject, R extends DesiredState<T> = DesiredState<T>>
  extends ControllerOfObjects<T> {
  /**
   * Computes the desired state from the object and its existing children. It must be a pure function of its arguments,
   * because it can be called several times for one change. Not called for objects that are being deleted.
   *
   * @example
   * ```ts
   * desired: (site, observed) => ({
   *   children: [configFor(site), after(configFor(site), webFor(site))],
   *   status: { pods: observed.list(Pod).length },
   * })
   * ```
   */
  readonly desired: (object: Stored<T>, observed: Observed) => R & ExactStatus<T, R['status']>;
  readonly reconcile?: undefined;
}

/** Options for {@link controller}. */
export type ControllerOptions<T extends KubernetesObject, R extends DesiredState<T> = DesiredState<T>> =
  | ReconcileOptions<T>
  | DesiredOptions<T, R>;

/** Options for {@link requestController}. */
export interface RequestControllerOptions extends ControllerSettings {
  readonly name: string;
  /** The kind whose keys the requests contain; used as the kind in log lines and the owner in `enqueueForOwner`. */
  readonly for?: Kind<KubernetesObject>;
  readonly reconcile: Reconciler;
}

/**
 * A declared controller, which a manager runs. It is stateless, so several managers can share it.
 *
 * @example
 * ```ts
 * export const audit: ControllerDefinition = controller({
 *   for: ConfigMap,
 *   async reconcile({ metadata }, { log }) {
 *     log.info('config map changed', { version: metadata.resourceVersion });
 *   },
 * });
 * ```
 */
export interface ControllerDefinition extends ControllerSettings {
  readonly name: string;
  readonly primary: Kind<KubernetesObject> | undefined;
  readonly watches: readonly Watch[];
  readonly owns: readonly Kind<KubernetesObject>[];
  readonly finalizers: Readonly<Record<string, Finalizer<KubernetesObject>>>;
  /** Selects the objects that get the finalizers. @defaultValue all objects */
  readonly needsFinalizers?: (object: Stored<KubernetesObject>) => boolean;
  /** The keys that this replica reconciles. @defaultValue all keys */
  readonly partition?: Partition;
  readonly run: ObjectRun | { readonly level: 'request'; readonly reconcile: Reconciler };
}
