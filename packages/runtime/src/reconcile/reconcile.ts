import type { Clock, Kind, KubernetesObject, ObjectKey, Random, Stored } from '@kubewright/apimachinery';
import type { KubernetesClient } from '@kubewright/client';
import type { Cache } from '../cache/cache.ts';
import type { CacheListOptions } from '../cache/lister.ts';
import type { ReconcileRequest } from '../handler/event-handler.ts';
import type { Logger } from '../log/logger.ts';
import type { EventRecorder } from '../recorder/event-recorder.ts';
import type { Observed } from './observed-children.ts';

/**
 * The result of a reconcile. Without a result, the key does not run again until an event arrives.
 *
 * @example
 * ```ts
 * const again: ReconcileResult = { requeueAfterMs: 60_000 };
 * ```
 */
export interface ReconcileResult {
  /**
   * Delay after which the key runs again, in milliseconds, regardless of other events. The next result replaces the
   * delay. A delay of zero or less, for a time already past, works like `requeue`; `undefined` requests no run. A value
   * that is not a number fails the reconcile.
   */
  readonly requeueAfterMs?: number;
  /** True to run the key again with its growing backoff, as after an error. */
  readonly requeue?: boolean;
  /** Priority of the requested run. @defaultValue the priority of this run */
  readonly priority?: number;
}

/**
 * The return value of a reconcile function.
 *
 * @example
 * ```ts
 * async function waitForBucket(name: string, { signal }: RequestContext): Promise<ReconcileOutcome> {
 *   const bucket = await cloud.bucket(name, { signal });
 *   return bucket.ready ? undefined : { requeueAfterMs: 10_000 };
 * }
 * ```
 */
// biome-ignore lint/suspicious/noConfusingVoidType: a reconcile without a return statement is a Promise<void>
export type ReconcileOutcome = ReconcileResult | undefined | void;

/** The type of a kind's status. */
export type StatusOf<T> = T extends { readonly status?: infer S }
  ? [NonNullable<S>] extends [never]
    ? NoStatus
    : NonNullable<S>
  : NoStatus;

/** Appears in the compiler's error when a program sets the status of a kind that has none. */
export interface NoStatus {
  readonly 'this kind has no status: pass a status type to defineKind': never;
}

/** Options for {@link RequestContext.apply}. */
export interface ApplyObjectsOptions {
  /**
   * True to take over fields set by other managers.
   * @defaultValue true, as server-side apply recommends for controllers
   */
  readonly force?: boolean;
  /**
   * Ownership of the objects: `'controller'` makes the reconciled object their controller, `'owner'` makes it a plain
   * owner, and `'none'` sets no owner reference.
   *
   * @defaultValue 'controller' if there is a reconciled object
   */
  readonly ownership?: 'controller' | 'owner' | 'none';
  /** The owner, if it is not the reconciled object. */
  readonly owner?: KubernetesObject;
  /** Field manager. @defaultValue the controller's field manager */
  readonly fieldManager?: string;
}

/** Options for {@link ReconcileContext.setStatus}. */
export interface SetStatusOptions {
  /**
   * Field manager.
   *
   * @defaultValue the controller's field manager, without a `-status` suffix: the API separates status entries by subresource
   */
  readonly fieldManager?: string;
  /** True to take over fields set by other managers. @defaultValue true */
  readonly force?: boolean;
}

/** Options for {@link RequestContext.delete}. */
export interface DeleteObjectOptions {
  readonly propagationPolicy?: 'Foreground' | 'Background' | 'Orphan';
  readonly gracePeriodSeconds?: number;
  /** True to fail if the object has changed since it was read. @defaultValue false */
  readonly matchResourceVersion?: boolean;
}

/**
 * The context of every reconcile, of objects or of requests.
 *
 * @example
 * ```ts
 * async function copySecret({ namespace, name }: ReconcileRequest, ctx: RequestContext): Promise<void> {
 *   const secret = await ctx.get(Secret, { namespace: 'templates', name });
 *   if (secret && namespace) await ctx.apply(Secret({ metadata: { namespace, name }, data: secret.data ?? {} }));
 * }
 * ```
 */
export interface RequestContext {
  /** Aborted when the reconcile times out or the manager stops. Pass the signal to every call that waits. */
  readonly signal: AbortSignal;
  /** Logger that adds the controller, the object's key and the reconcile's id to every line. */
  readonly log: Logger;
  /** Live calls to the API server. */
  readonly client: KubernetesClient;
  /** Cached reads of declared kinds. */
  readonly cache: Cache;
  readonly events: EventRecorder;
  readonly clock: Clock;
  readonly random: Random;
  readonly request: ReconcileRequest;
  /** Unique per reconcile and included in every log line. */
  readonly reconcileID: string;
  /** Reads from the cache if kind and namespace are declared, otherwise live. Returns `undefined` if not found. */
  get<T extends KubernetesObject>(kind: Kind<T>, key: ObjectKey): Promise<Stored<T> | undefined>;
  /** Lists from the cache if the kind, and the namespace if given, are declared, otherwise live (all pages). */
  list<T extends KubernetesObject>(kind: Kind<T>, options?: CacheListOptions): Promise<readonly Stored<T>[]>;
  /**
   * Applies the objects in the given order, with server-side apply under the controller's field manager. Sends no request for an
   * object if the cached object shows that the apply would change neither values nor field ownership, or if an earlier response
   * showed that the server stores these values in another form. Returns the resulting objects.
   *
   * @throws StatusError when the server rejects an object; the objects before it were applied.
   */
  apply<const L extends readonly KubernetesObject[]>(
    objects: readonly [...L],
    options?: ApplyObjectsOptions,
  ): Promise<{ readonly [I in keyof L]: Stored<L[I]> }>;
  apply<T extends KubernetesObject>(object: T, options?: ApplyObjectsOptions): Promise<Stored<T>>;
  /** Deletes exactly this object (its UID is a precondition). Does not fail if the object no longer exists. */
  delete(object: KubernetesObject, options?: DeleteObjectOptions): Promise<void>;
}

/**
 * The context of an object's reconcile. `T` is the type of the reconciled object.
 *
 * @example
 * ```ts
 * async function reconcile(pod: Pod, ctx: ReconcileContext): Promise<void> {
 *   const secret = await ctx.get(Secret, { name: 'login' });
 *   ctx.log.info('read the login', { found: secret !== undefined });
 * }
 * ```
 */
export interface ReconcileContext<T extends KubernetesObject = KubernetesObject> extends RequestContext {
  /** The existing children of the kinds in `owns`, read from the cache on demand. */
  readonly observed: Observed;
  /**
   * Sets the entire status owned by this controller, with server-side apply on the status subresource. Fields that are
   * no longer given are removed. Sends no request if nothing differs.
   */
  setStatus(status: StatusOf<T>, options?: SetStatusOptions): Promise<void>;
}

/**
 * Reconciles a key, as in controller-runtime. The function reads the object and handles its absence.
 *
 * @example
 * ```ts
 * const reconcile: Reconciler = async ({ name }, ctx) => {
 *   ctx.log.info('reconciling', { name });
 * };
 * ```
 */
export type Reconciler = (request: ReconcileRequest, context: RequestContext) => Promise<ReconcileOutcome>;
