import type { Kind, KubernetesObject, Stored } from '@kubewright/apimachinery';
import type { CachedKind } from '../cache/cached-kind.ts';
import type { DesiredState, Observed } from '../desired/desired-state.ts';
import type { ExactStatus } from '../desired/exact-status.ts';
import type { Predicate } from '../predicate/predicate.ts';
import type { ShardedOptions } from '../sharding/sharded.ts';
import type { Source, Watch } from '../source/source.ts';
import type { RateLimiter } from '../workqueue/rate-limiter.ts';
import type { Partition } from './partition.ts';
import type { Finalizer, ReconcileContext, ReconcileOutcome, Reconciler } from './reconcile.ts';

/** What controllers of both levels share. */
export interface ControllerSettings {
  /** More kinds whose events lead to reconciles. */
  readonly watches?: readonly Watch[];
  /** Sources that are not watched kinds. */
  readonly sources?: readonly Source[];
  /** Kinds that are only read from the cache. */
  readonly caches?: readonly (CachedKind | Kind<KubernetesObject>)[];
  /**
   * How many keys are worked on at a time; one key is never worked on twice at a time. The exception is a reconcile that ignores
   * its signal: see {@link ControllerSettings.reconcileTimeoutMs}.
   *
   * @defaultValue 1
   */
  readonly maxConcurrentReconciles?: number;
  /**
   * Ends a reconcile that takes longer, in milliseconds; 0 is for ever. Its signal is aborted; what has not ended ten seconds
   * later is abandoned, and its key goes on: JavaScript cannot stop a function, so an abandoned one may still run beside the
   * next reconcile of its key. It can no longer write through its context; what it does by other ways is its own affair.
   *
   * @defaultValue 120_000
   */
  readonly reconcileTimeoutMs?: number;
  /** @defaultValue per-key back-off, 5 ms doubling to 1,000 s */
  readonly rateLimiter?: RateLimiter;
  /**
   * What the controller's writes are known by. Two controllers of one kind need two: each takes what is applied under its
   * name, and is no longer wanted, for its own to take away.
   *
   * @defaultValue the controller's name
   */
  readonly fieldManager?: string;
  /**
   * Whether the reconciled object is looked at live before a reconcile's first write (uid, generation, deletion mark), so
   * that a cache that lags leads to another try and not to a wrong deed. One small `get` for each reconcile that writes.
   *
   * @defaultValue true
   */
  readonly fenced?: boolean;
  /** Whether the controller runs on the leader only, when leader election is on. @defaultValue true */
  readonly needLeaderElection?: boolean;
  /**
   * Whether a follower fills the queue already, so that a new leader need not go through everything first. The queue holds
   * every key once. Mirrors controller-runtime's `EnableWarmup`.
   *
   * @defaultValue false
   */
  readonly warmUp?: boolean;
  /**
   * Whether a programming error (a `TypeError` of the engine, a `ReferenceError`, a `RangeError`) is retried like any other
   * failure. Otherwise it ends the manager, so that the process is started anew. It is counted as a panic either way.
   *
   * @defaultValue true
   */
  readonly recoverPanic?: boolean;
  /**
   * Whether the first of equal failures of an object's reconcile is also told by a Warning event `ReconcileError` about the
   * object, unless the reconcile has recorded a Warning itself. Its text is the error's message: whoever may read events reads it.
   *
   * @defaultValue true
   */
  readonly errorEvents?: boolean;
  /**
   * Whether replicas share the controller's keys instead of one of them leading: each key is worked on by one replica at a time.
   * The manager says by `sharding` which replicas belong together. A `requestController` also lists its keys:
   * `sharded: { keys: () => bucketKeys() }`. See docs/sharding.md.
   *
   * @defaultValue false
   */
  readonly sharded?: boolean | ShardedOptions;
}

/** What {@link controller} is told in either form. */
export interface ControllerOfObjects<T extends KubernetesObject> extends ControllerSettings {
  /** In metrics, logs and as field manager; unique in a manager. @defaultValue the kind in lower case */
  readonly name?: string;
  /**
   * The kind that is reconciled. A manager may have several controllers of one kind: every change wakes all of them, each
   * with a queue of its own, and each prunes only the children that it has applied itself. Let one of them write the status.
   */
  readonly for: Kind<T>;
  /** Kinds of which this controller makes children: their events reconcile the controlling owner. */
  readonly owns?: readonly Kind<KubernetesObject>[];
  /** Filter the primary kind's events. */
  readonly predicates?: readonly Predicate<T>[];
  /** Restricts the primary kind's cache. `metadataOnly` is refused (KW3042): a reconcile needs more than that. */
  readonly cached?: Omit<CachedKind<T>, 'kind'>;
  /**
   * Clean-up steps by finalizer name. Names are put on the object before its first reconcile; once it is being deleted the
   * steps run in this order instead of `reconcile`, each name removed when its step has succeeded.
   */
  readonly finalizers?: Readonly<Record<string, Finalizer<T>>>;
}

/** {@inheritDoc ReconcileOptions.reconcile} */
export type Reconcile<T extends KubernetesObject> = (
  object: Stored<T>,
  context: ReconcileContext<T>,
) => Promise<ReconcileOutcome | DesiredState<T>>;

/** {@inheritDoc DesiredOptions.desired} */
export type Desired<T extends KubernetesObject> = (object: Stored<T>, observed: Observed) => DesiredState<T>;

/** A controller whose function acts. */
export interface ReconcileOptions<T extends KubernetesObject> extends ControllerOfObjects<T> {
  /**
   * Brings the world to what `object` says. Gets a frozen object; called for one key by one worker at a time. It may act by
   * itself, return what should be and leave the rest to the framework, or do some of both.
   */
  readonly reconcile: Reconcile<T>;
  readonly desired?: undefined;
}

/** A controller whose function says what should be. */
export interface DesiredOptions<T extends KubernetesObject, R extends DesiredState<T> = DesiredState<T>>
  extends ControllerOfObjects<T> {
  /**
   * Says what should be, given the object and the children that there are. A pure function: it may be called several times
   * for one change, and looks at nothing else. Not called for what is being deleted.
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

/** What {@link controller} is told. */
export type ControllerOptions<T extends KubernetesObject, R extends DesiredState<T> = DesiredState<T>> =
  | ReconcileOptions<T>
  | DesiredOptions<T, R>;

/** What {@link requestController} is told. */
export interface RequestControllerOptions extends ControllerSettings {
  readonly name: string;
  /** The kind whose keys requests carry; gives log lines their kind and `enqueueForOwner` its owner. */
  readonly for?: Kind<KubernetesObject>;
  readonly reconcile: Reconciler;
}

/** A declared controller; a manager runs it. Holds no state: it can be given to several managers. */
export interface ControllerDefinition extends ControllerSettings {
  readonly name: string;
  readonly primary: Kind<KubernetesObject> | undefined;
  readonly watches: readonly Watch[];
  readonly owns: readonly Kind<KubernetesObject>[];
  readonly finalizers: Readonly<Record<string, Finalizer<KubernetesObject>>>;
  /** The keys that this replica works on. @defaultValue all */
  readonly partition?: Partition;
  readonly run: ObjectRun | { readonly level: 'request'; readonly reconcile: Reconciler };
}

/** What a controller of objects runs. */
export type ObjectRun = { readonly level: 'object' } & (
  | {
      readonly desired?: undefined;
      readonly reconcile: (
        object: Stored<KubernetesObject>,
        context: ReconcileContext<KubernetesObject>,
      ) => Promise<ReconcileOutcome | DesiredState>;
    }
  | { readonly desired: (object: Stored<KubernetesObject>, observed: Observed) => DesiredState }
);
