import {
  type Clock,
  isDeleting,
  isNotFound,
  type Kind,
  type KubernetesObject,
  type ObjectKey,
  objectKey,
  type Random,
  type Stored,
} from '@kubewright/apimachinery';
import { deepFreeze } from '@kubewright/apimachinery/internal';
import type { KubernetesClient } from '@kubewright/client';
import type { InformerCache } from '../cache/informer-cache.ts';
import type { CacheListOptions } from '../cache/lister.ts';
import { SplitReads } from '../cache/split-reads.ts';
import type { KindResolver } from '../discovery/kind-resolver.ts';
import type { Instant } from '../fencing/lease-term.ts';
import { writeFence } from '../fencing/write-fence.ts';
import type { ReconcileRequest } from '../handler/event-handler.ts';
import type { Logger } from '../log/logger.ts';
import type { EventRecorder } from '../recorder/event-recorder.ts';
import type { ReconcileEvents } from '../recorder/reconcile-events.ts';
import { appliedAlready } from './applied-already.ts';
import { applyBody, ownedObject, placedObject } from './child-object.ts';
import type { ManagerEntry } from './manager-entry.ts';
import { writingStatus } from './no-status-subresource-error.ts';
import { childId, type Observed, observedChildren } from './observed-children.ts';
import type { ApplyObjectsOptions, DeleteObjectOptions, ReconcileContext, SetStatusOptions } from './reconcile.ts';
import type { RememberedApplies } from './remembered-applies.ts';
import { migrateToApply, updatedBefore } from './updated-before.ts';

/** The parts that the contexts of one controller share. */
export interface ContextParts {
  readonly cache: InformerCache;
  readonly clock: Clock;
  readonly random: Random;
  readonly fieldManager: string;
  readonly kinds: KindResolver;
  readonly applies: RememberedApplies;
  readonly primaryKind: Kind<KubernetesObject> | undefined;
  /** True to read the primary live before the first write. */
  readonly checkPrimary: boolean;
}

/** The reconcile that a context belongs to. */
export interface ContextRun {
  readonly request: ReconcileRequest;
  readonly reconcileID: string;
  readonly log: Logger;
  readonly signal: AbortSignal;
  /** Client of the reconcile; created on first use, because most reconciles find nothing to do. */
  readonly client: KubernetesClient;
  readonly events: ReconcileEvents;
  /** Called whenever the reconcile resumes after a call, so that the watchdog knows which reconcile is running. */
  resumed(): void;
  /** Called with each object about to be written, in its intended form. */
  intends(object: KubernetesObject): void;
  /** Requests another reconcile once the object with the given {@link childId} is removed. */
  awaitEnd(objectId: string): void;
}

/** Options for {@link LoopContext}. */
export interface ContextOptions {
  readonly run: ContextRun;
  /** The reconciled object; undefined for request controllers. */
  readonly primary: KubernetesObject | undefined;
  /** Time at which the server was queried, if the primary was read live instead of from the cache. */
  readonly readAt: Instant | undefined;
}

/**
 * The context of one reconcile. Every call throws once the signal is aborted, and all writes pass the {@link writeFence},
 * including those through `client`.
 */
export class LoopContext implements ReconcileContext<KubernetesObject> {
  readonly #parts: ContextParts;
  readonly #run: ContextRun;
  readonly #primary: KubernetesObject | undefined;
  readonly #readAt: Instant | undefined;
  #appliedIds: Set<string> | undefined;
  #client: KubernetesClient | undefined;
  #reads: SplitReads | undefined;

  constructor(parts: ContextParts, { run, primary, readAt }: ContextOptions) {
    this.#parts = parts;
    this.#run = run;
    this.#primary = primary;
    this.#readAt = readAt;
    run.events.begin(primary);
  }

  get log(): Logger {
    return this.#run.log;
  }

  get cache(): InformerCache {
    return this.#parts.cache;
  }

  get events(): EventRecorder {
    return this.#run.events;
  }

  get clock(): Clock {
    return this.#parts.clock;
  }

  get random(): Random {
    return this.#parts.random;
  }

  get request(): ReconcileRequest {
    return this.#run.request;
  }

  get reconcileID(): string {
    return this.#run.reconcileID;
  }

  /** Ids of the objects applied in this reconcile; pruning keeps them. */
  get appliedIds(): Set<string> {
    this.#appliedIds ??= new Set();
    return this.#appliedIds;
  }

  /** Requests another reconcile once the object with the given {@link childId} is removed. */
  awaitEnd(objectId: string): void {
    this.#run.awaitEnd(objectId);
  }

  get signal(): AbortSignal {
    return this.#run.signal;
  }

  /** Client of the reconcile; created on first use, because most reconciles find nothing to do. */
  get client(): KubernetesClient {
    if (this.#client) return this.#client;
    const { primaryKind: kind, checkPrimary } = this.#parts;
    const view = this.#primary && kind && checkPrimary ? { object: this.#primary, kind } : undefined;
    const { client } = this.#run;
    const { signal, clock, log } = this;
    this.#client = client.intercepted(writeFence({ signal, view, readAt: this.#readAt, client, clock, log }));
    return this.#client;
  }

  get observed(): Observed {
    const primary = this.#primary;
    if (!primary) throw new TypeError('cannot read children: this controller reconciles requests, not objects');
    return observedChildren(primary, this.cache);
  }

  async get<T extends KubernetesObject>(kind: Kind<T>, key: ObjectKey): Promise<Stored<T> | undefined> {
    try {
      return await this.#splitReads.get(kind, key, { signal: this.signal });
    } finally {
      this.#run.resumed();
    }
  }

  async list<T extends KubernetesObject>(kind: Kind<T>, options: CacheListOptions = {}): Promise<readonly Stored<T>[]> {
    try {
      return await this.#splitReads.list(kind, { ...options, signal: this.signal });
    } finally {
      this.#run.resumed();
    }
  }

  apply<const L extends readonly KubernetesObject[]>(
    objects: readonly [...L],
    options?: ApplyObjectsOptions,
  ): Promise<{ readonly [I in keyof L]: Stored<L[I]> }>;
  apply<T extends KubernetesObject>(object: T, options?: ApplyObjectsOptions): Promise<Stored<T>>;
  async apply(
    objects: KubernetesObject | readonly KubernetesObject[],
    options: ApplyObjectsOptions = {},
  ): Promise<unknown> {
    if (!Array.isArray(objects)) return this.#applyOne(objects as KubernetesObject, options);
    const applied: Stored<KubernetesObject>[] = [];
    for (const object of objects as readonly KubernetesObject[]) applied.push(await this.#applyOne(object, options));
    return applied;
  }

  async setStatus(status: unknown, options: SetStatusOptions = {}): Promise<void> {
    await this.applyStatus(status, options);
  }

  /** Sets the status; returns the resulting object, or undefined if nothing changed. */
  async applyStatus(status: unknown, options: SetStatusOptions = {}): Promise<Stored<KubernetesObject> | undefined> {
    this.signal.throwIfAborted();
    const primary = this.#primary;
    const { primaryKind } = this.#parts;
    if (!primary || !primaryKind)
      throw new TypeError('cannot set a status: this controller reconciles requests, not objects');
    const fieldManager = options.fieldManager ?? this.#parts.fieldManager;
    const { name = '', namespace, uid } = primary.metadata;
    const { apiVersion, kind } = primary;
    // With the UID, the server rejects the status if another object of the same name has replaced the object.
    const wanted = {
      apiVersion,
      kind,
      metadata: { name, ...(namespace && { namespace }), ...(uid && { uid }) },
      status,
    };
    const key = objectKey(primary);
    // If the cached state is uncertain, the reconcile's copy of the object is uncertain too.
    const isCertain = this.cache.isCertain(primaryKind, key);
    const live = isCertain ? (this.cache.peek(primaryKind, key)?.object ?? primary) : undefined;
    const manager = { fieldManager, subresource: 'status' };
    if (live && live.metadata.uid === uid && this.#hasApplied(wanted, live, manager)) return undefined;
    const force = options.force ?? true;
    this.#run.intends(wanted);
    const applying = { fieldManager, force, signal: this.signal };
    const { client, signal } = this;
    const write = (): Promise<Stored<KubernetesObject>> => client.resource(primaryKind).status.apply(wanted, applying);
    const stored = await writingStatus(write, { client, kind: primaryKind, object: primary, signal });
    return this.#applied(wanted, { stored, live, manager });
  }

  async delete(object: KubernetesObject, options: DeleteObjectOptions = {}): Promise<void> {
    this.signal.throwIfAborted();
    const kind = await this.#parts.kinds.resolve(object, this.signal);
    const { uid, resourceVersion } = object.metadata;
    const { matchResourceVersion, ...rest } = options;
    try {
      await this.client.resource(kind).delete(objectKey(object), {
        ...rest,
        preconditions: { uid, ...(matchResourceVersion && { resourceVersion }) },
        signal: this.signal,
      });
    } catch (error) {
      if (!isNotFound(error)) throw error;
    } finally {
      this.#run.resumed();
    }
  }

  async #applyOne(object: KubernetesObject, options: ApplyObjectsOptions): Promise<Stored<KubernetesObject>> {
    this.signal.throwIfAborted();
    const kind = await this.#parts.kinds.resolve(object, this.signal);
    const fieldManager = options.fieldManager ?? this.#parts.fieldManager;
    const placed = placedObject(object, kind, this.request);
    const owned = ownedObject(placed, options.owner ?? this.#primary, options);
    this.appliedIds.add(childId(owned));
    const live = this.#cached(kind, objectKey(owned));
    // Applying to a terminating object has no lasting effect; its successor must be created once the object is removed.
    if (live && isDeleting(live)) this.awaitEnd(childId(owned));
    const manager = { fieldManager };
    if (live && this.#hasApplied(owned, live, manager)) return live;
    const { client, signal } = this;
    if (live && updatedBefore(live, fieldManager)) await migrateToApply(client, live, { kind, fieldManager, signal });
    const body = applyBody(owned, live?.metadata.uid);
    const force = options.force ?? true;
    this.#run.intends(body);
    const stored = await client.resource(kind).apply(body, { fieldManager, force, signal });
    return this.#applied(owned, { stored, live, manager });
  }

  /** Reports whether applying the object again would change nothing. */
  #hasApplied(wanted: KubernetesObject, live: KubernetesObject, manager: ManagerEntry): boolean {
    return appliedAlready(wanted, live, manager) || this.#parts.applies.has(wanted, live, manager);
  }

  get #splitReads(): SplitReads {
    this.#reads ??= new SplitReads({ cache: this.cache, client: this.client });
    return this.#reads;
  }

  #cached(kind: Kind<KubernetesObject>, key: ObjectKey): Stored<KubernetesObject> | undefined {
    // Compare only if the cached state is certain: after a lost response, it may be outdated.
    return this.cache.isCertain(kind, key) ? this.cache.peek(kind, key)?.object : undefined;
  }

  /**
   * Freezes the response. Remembers it if the stored object alone does not show that another apply would change
   * nothing. The client reports all writes to the cache.
   */
  #applied(
    wanted: KubernetesObject,
    what: {
      readonly stored: Stored<KubernetesObject>;
      readonly live: KubernetesObject | undefined;
      readonly manager: ManagerEntry;
    },
  ): Stored<KubernetesObject> {
    const { stored, live, manager } = what;
    this.#run.resumed();
    const changedNothing = live?.metadata.resourceVersion === stored.metadata.resourceVersion;
    if (changedNothing || !appliedAlready(wanted, stored, manager)) {
      this.#parts.applies.remember(wanted, stored, manager);
    }
    return deepFreeze(stored);
  }
}
