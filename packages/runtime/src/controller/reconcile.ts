import type { Clock, Kind, KubernetesObject, ObjectKey, Random, Stored } from '@kubewright/apimachinery';
import type { KubernetesClient } from '@kubewright/client';
import type { Cache } from '../cache/cache.ts';
import type { CacheListOptions } from '../cache/lister.ts';
import type { Observed } from '../desired/desired-state.ts';
import type { ReconcileRequest } from '../handler/event-handler.ts';
import type { Logger } from '../log/logger.ts';
import type { EventRecorder } from '../recorder/event-recorder.ts';

/** What a reconcile asks for. Nothing: done until something changes. */
export interface ReconcileResult {
  /**
   * Runs again after this time, in milliseconds, whatever happens before. The next result replaces it. 0 and less, a time
   * that is over already, run again as `requeue` does; `undefined` asks for nothing. What is no number is a failure of the
   * reconcile.
   */
  readonly requeueAfterMs?: number;
  /** Runs again with the key's growing back-off, as after an error but without one. */
  readonly requeue?: boolean;
  /** Priority of the run asked for. @defaultValue that of this run */
  readonly priority?: number;
}

/** What a reconcile function may return. */
// biome-ignore lint/suspicious/noConfusingVoidType: a reconcile without a return statement is a Promise<void>
export type ReconcileOutcome = ReconcileResult | undefined | void;

/** The type of a kind's status. */
export type StatusOf<T> = T extends { readonly status?: infer S }
  ? [NonNullable<S>] extends [never]
    ? NoStatus
    : NonNullable<S>
  : NoStatus;

/** What the compiler names when a status is set of a kind that has none. */
export interface NoStatus {
  readonly 'this kind has no status: give defineKind the type of one': never;
}

/** Options of {@link RequestContext.apply}. */
export interface ApplyObjectsOptions {
  /** Takes over fields that another manager set. @defaultValue true, as server-side apply's advice for controllers is */
  readonly force?: boolean;
  /**
   * Who owns the objects: `'controller'` makes the reconciled object their controller, `'owner'` a plain owner, `'none'`
   * leaves them alone. @defaultValue 'controller' where there is a reconciled object
   */
  readonly ownership?: 'controller' | 'owner' | 'none';
  /** The owner, when it is not the reconciled object. */
  readonly owner?: KubernetesObject;
  /** @defaultValue the controller's */
  readonly fieldManager?: string;
}

/** Options of {@link ReconcileContext.setStatus}. */
export interface SetStatusOptions {
  /** @defaultValue the controller's, with `-status` not added: the API keeps status entries apart by subresource */
  readonly fieldManager?: string;
  /** @defaultValue true */
  readonly force?: boolean;
}

/** Options of {@link RequestContext.delete}. */
export interface DeleteObjectOptions {
  readonly propagationPolicy?: 'Foreground' | 'Background' | 'Orphan';
  readonly gracePeriodSeconds?: number;
  /** Also refuses when the object has changed since it was read. @defaultValue false */
  readonly matchResourceVersion?: boolean;
}

/** What every reconcile is given, whether it works on objects or on requests. */
export interface RequestContext {
  /** Aborted at the reconcile's time-out and when the manager stops. Hand it to whatever waits. */
  readonly signal: AbortSignal;
  /** Carries the controller, the object's key and the reconcile's id. */
  readonly log: Logger;
  /** Live calls to the API server. */
  readonly client: KubernetesClient;
  /** Cached reads of declared kinds. */
  readonly cache: Cache;
  readonly events: EventRecorder;
  readonly clock: Clock;
  readonly random: Random;
  readonly request: ReconcileRequest;
  /** New for every reconcile; it is in every log line. */
  readonly reconcileID: string;
  /** Reads from the cache if kind and namespace are declared, else live. Not found is `undefined`. */
  get<T extends KubernetesObject>(kind: Kind<T>, key: ObjectKey): Promise<Stored<T> | undefined>;
  /** Lists from the cache if the kind, and the namespace if one is named, are declared, else live (all pages). */
  list<T extends KubernetesObject>(kind: Kind<T>, options?: CacheListOptions): Promise<readonly Stored<T>[]>;
  /**
   * Makes these objects be as given, by server-side apply under the controller's field manager, in the given order.
   * Sends nothing for an object whose values equal the cached ones and whose field set equals the manager's own.
   * Answers the objects as they are now.
   *
   * @throws StatusError when the server refuses; the objects before it were applied.
   */
  apply<const L extends readonly KubernetesObject[]>(
    objects: readonly [...L],
    options?: ApplyObjectsOptions,
  ): Promise<{ readonly [I in keyof L]: Stored<L[I]> }>;
  apply<T extends KubernetesObject>(object: T, options?: ApplyObjectsOptions): Promise<Stored<T>>;
  /** Deletes this very object (its uid is a precondition). An object that is not there any more is no error. */
  delete(object: KubernetesObject, options?: DeleteObjectOptions): Promise<void>;
}

/** What a reconcile of an object is given. `T` is the type of the reconciled object. */
export interface ReconcileContext<T extends KubernetesObject = KubernetesObject> extends RequestContext {
  /** The children that there are, of the kinds in `owns`; read from the cache when asked. */
  readonly observed: Observed;
  /**
   * Sets the whole status that this controller owns, by server-side apply on the status subresource. A field that was
   * there and is not given now goes away. Sends nothing when nothing differs.
   */
  setStatus(status: StatusOf<T>, options?: SetStatusOptions): Promise<void>;
}

/** The lower level: reconciles a key. Reading the object, and finding it gone, is the function's own work. */
export type Reconciler = (request: ReconcileRequest, context: RequestContext) => Promise<ReconcileOutcome>;

/** Cleans up what the garbage collector cannot know of; the finalizer is removed only when it succeeded. */
export type Finalizer<T extends KubernetesObject> = (
  object: Stored<T>,
  context: ReconcileContext<T>,
) => Promise<ReconcileOutcome>;
