import { setMaxListeners } from 'node:events';
import type { Clock, Kind, KubernetesObject, ObjectKey, Random } from '@kubewright/apimachinery';
import type { KubernetesClient } from '@kubewright/client';
import type { ObjectView } from '../handler/object-view.ts';
import { kindKey } from '../kind/define-kind.ts';
import type { Logger } from '../log/logger.ts';
import { type ListWatchClient, listWatcher } from '../reflector/list-watcher.ts';
import { ServerAvailability } from '../reflector/server-availability.ts';
import type { Cache, PartialObjectMetadata } from './cache.ts';
import { AmbiguousNamespacesError, CacheInUseError, KindNotCachedError } from './cache-errors.ts';
import type { CacheScope } from './cache-scope.ts';
import type { CachedKind } from './cached-kind.ts';
import { DeclaredKind, scopeKeyOf } from './declared-kind.ts';
import { DeclaredKinds } from './declared-kinds.ts';
import { DecodedObjects } from './decoded-objects.ts';
import { Informer } from './informer.ts';
import type { InformerLease } from './informer-lease.ts';
import type { InformerPool } from './informer-pool.ts';
import type { Lister } from './lister.ts';
import { ServedKinds } from './served-kinds.ts';
import { WriteNotes } from './write-notes.ts';

/** Namespaces set at run time, by kind and declaration. */
export type ChangedNamespaces = Map<string, Map<string, readonly string[]>>;

export interface InformerCacheOptions {
  readonly client: ListWatchClient;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  /** Namespaces for namespaced kinds whose declaration names none. */
  readonly namespaces?: readonly string[] | undefined;
  /**
   * Namespaces set at run time, by kind and declaration. Pass the same map to a cache that replaces this cache.
   * @defaultValue empty
   */
  readonly changedNamespaces?: ChangedNamespaces | undefined;
  /** Field managers whose managedFields entries are kept. */
  readonly ownManagers?: ReadonlySet<string> | undefined;
  readonly useWatchList?: boolean | undefined;
  /**
   * Limit on cached decoded objects, in bytes of their JSON.
   * @defaultValue 8 MiB, and 1/96 of the heap limit for objects that had to be decoded again after they were evicted
   */
  readonly decodedBytes?: number | undefined;
  /** Informers that are shared with other caches. @defaultValue its own informers */
  readonly informers?: InformerPool | undefined;
}

/** A cache that creates informers from declarations and shares them between equal declarations. */
export class InformerCache implements Cache {
  readonly #options: InformerCacheOptions;
  readonly #declared = new DeclaredKinds();
  readonly #changedNamespaces: ChangedNamespaces;
  readonly #decoded: DecodedObjects;
  readonly #notes: WriteNotes;
  readonly #served: ServedKinds;
  readonly #availability: ServerAvailability;
  #signal: AbortSignal | undefined;

  constructor(options: InformerCacheOptions) {
    this.#options = options;
    this.#changedNamespaces = options.changedNamespaces ?? new Map();
    this.#decoded = new DecodedObjects(options.decodedBytes);
    this.#availability = new ServerAvailability(options);
    this.#served = new ServedKinds({ discovery: options.client.discovery, clock: options.clock });
    this.#notes = new WriteNotes({
      kindsOf: (resource) => this.#declared.ofResource(resource),
      informersOf: (kind, key) => this.informersOf(kind, key),
    });
  }

  /**
   * Declares that a kind is cached. Declarations of equal scope share informers and combine their indexes.
   *
   * @throws IndexConflictError (KW3018) when the same part of the kind already has an index of that name with another function.
   */
  declare(cached: CachedKind): DeclaredKind {
    const all = this.#declared.all(cached.kind);
    const { namespaces } = this.#options;
    const scopeKey = scopeKeyOf(cached, namespaces);
    this.#declared.rejectOtherIndexes(cached, namespaces);
    const same = all.find((each) => each.scopeKey === scopeKey && each.cached.transform === cached.transform);
    if (same) {
      if (cached.indexes) same.addIndexes(cached.indexes);
      return same;
    }
    const made = new DeclaredKind(cached, {
      namespaces,
      changed: this.#changedNamespaces.get(kindKey(cached.kind))?.get(scopeKey),
      informer: (of, scope) => this.#informer(of, scope),
    });
    this.#declared.add(made);
    if (this.#signal) made.run(this.#signal);
    return made;
  }

  async add(cached: CachedKind, options: { readonly signal: AbortSignal }): Promise<void> {
    const declared = this.declare(cached);
    if (!this.#signal) return;
    await declared.waitForSync(options.signal);
    // The kind was removed while waiting, so it can no longer be read.
    if (!this.#declared.all(cached.kind).includes(declared)) throw new KindNotCachedError(cached.kind);
  }

  async setNamespaces(
    kind: Kind<KubernetesObject>,
    { namespaces, of }: { readonly namespaces: readonly string[]; readonly of?: CachedKind | undefined },
  ): Promise<void> {
    if (kind.scope === 'Cluster') {
      throw new TypeError(`cannot change the cached namespaces of ${kind.kind}: the kind is cluster-scoped`);
    }
    const key = kindKey(kind);
    const scopeKey = of && scopeKeyOf(of, this.#options.namespaces);
    const chosen = this.#declared.all(kind).filter((each) => scopeKey === undefined || each.scopeKey === scopeKey);
    if (chosen.length === 0) throw new KindNotCachedError(kind, of && notDeclared);
    if (new Set(chosen.map((each) => JSON.stringify(each.namespaces))).size > 1)
      throw new AmbiguousNamespacesError(kind);
    const changed = this.#changedNamespaces.get(key) ?? new Map<string, readonly string[]>();
    this.#changedNamespaces.set(key, changed);
    for (const each of chosen) changed.set(each.scopeKey, namespaces);
    const stopped = chosen.map((each) => each.setNamespaces(namespaces));
    this.#declared.of(kind)?.rank();
    await Promise.all(stopped);
  }

  async remove(kind: Kind<KubernetesObject>): Promise<void> {
    const declared = this.#declared.all(kind);
    if (declared.some((each) => each.handlers > 0)) throw new CacheInUseError(kind);
    this.#declared.delete(kind);
    this.#changedNamespaces.delete(kindKey(kind));
    await Promise.all(declared.map((each) => each.stop()));
  }

  has(kind: Kind<KubernetesObject>): boolean {
    return this.#readable(kind) !== undefined;
  }

  /**
   * Reports whether this cache can serve reads of the kind in the namespace (undefined: in all declared namespaces).
   */
  holds(kind: Kind<KubernetesObject>, namespace: string | undefined): boolean {
    return this.#readable(kind)?.covers(namespace) ?? false;
  }

  lister<T extends KubernetesObject>(kind: Kind<T>): Lister<T> {
    const declared = this.#readable(kind);
    if (!declared) {
      throw new KindNotCachedError(kind, this.#declared.of(kind) ? onlyMetadata : undefined);
    }
    // The store of a kind contains only objects of that kind.
    return declared.lister as unknown as Lister<T>;
  }

  /** Reads one object from the cache; unlike a lister, returns undefined for keys outside the cached scope. */
  peek<T extends KubernetesObject>(kind: Kind<T>, key: ObjectKey): ObjectView<T> | undefined {
    // The store of a kind contains only objects of that kind.
    return viewIn(this.#readable(kind), key) as ObjectView<T> | undefined;
  }

  /** Like {@link peek}, for callers that need only metadata. */
  peekMetadata(kind: Kind<KubernetesObject>, key: ObjectKey): ObjectView<PartialObjectMetadata> | undefined {
    return viewIn(this.#declared.of(kind)?.widest, key);
  }

  /**
   * Returns the informers that serve reads of the kind in the namespace (undefined: in all declared namespaces), or undefined if
   * only the server can serve them.
   */
  serving(
    kind: Kind<KubernetesObject>,
    namespace: string | undefined,
  ): readonly Informer<KubernetesObject>[] | undefined {
    const readable = this.#readable(kind);
    if (namespace === undefined) return readable?.informers;
    const informer = readable?.at(namespace);
    return informer && [informer];
  }

  /** Reports whether a write's response left the object's state unknown, so that only the server knows the state. */
  isUncertain(kind: Kind<KubernetesObject>, key: ObjectKey): boolean {
    return this.#writesAt(kind, key)?.isUncertain(key) ?? false;
  }

  /** Reports whether {@link peek} hides the object because a write of this process moved it out of the cached scope. */
  isOutside(kind: Kind<KubernetesObject>, key: ObjectKey): boolean {
    return this.#readable(kind)?.at(key.namespace)?.ownWrites.isOutside(key) ?? false;
  }

  /**
   * Returns false if only the server knows the object's state: a write left the state unknown or moved the object out
   * of scope.
   */
  isCertain(kind: Kind<KubernetesObject>, key: ObjectKey): boolean {
    const writes = this.#writesAt(kind, key);
    return !writes || !(writes.isUncertain(key) || writes.isOutside(key));
  }

  metadata(kind: Kind<KubernetesObject>): Lister<PartialObjectMetadata> {
    const declarations = this.#declared.of(kind);
    if (!declarations) throw new KindNotCachedError(kind);
    return declarations.widest.lister;
  }

  /** Finds the declared kind of an object by its type; undefined if it is not cached. */
  kindOf(object: { readonly apiVersion: string; readonly kind: string }): Kind<KubernetesObject> | undefined {
    return this.#declared.ofType(object);
  }

  /** The informers of all declarations. */
  get informers(): readonly Informer<KubernetesObject>[] {
    return this.#declared.everything.flatMap((each) => each.informers);
  }

  /** Starts all informers; resolves when `signal` is aborted and they have stopped. */
  async run(signal: AbortSignal): Promise<void> {
    this.#signal = signal;
    // Every declared kind adds a listener, so disable the warning about too many listeners.
    setMaxListeners(0, signal);
    for (const each of this.#declared.everything) each.run(signal);
    if (!signal.aborted)
      await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
    await Promise.all(this.#declared.everything.map((each) => each.stopped()));
  }

  async waitForSync(signal: AbortSignal): Promise<void> {
    await Promise.all(this.#declared.everything.map((each) => each.waitForSync(signal)));
  }

  /** Waits until all kinds have listed or are known not to be served. */
  async waitUntilKnown(signal: AbortSignal): Promise<void> {
    await Promise.all(this.#declared.everything.map((each) => each.waitUntilKnown(signal)));
  }

  /** Returns a client whose writes are recorded in this cache, so that reads are never older than these writes. */
  following(client: KubernetesClient): KubernetesClient {
    return client.observed(this.#notes.observer);
  }

  noteWrite(kind: Kind<KubernetesObject>, object: KubernetesObject): void {
    this.#notes.wrote(kind, object);
  }

  noteDeletion(kind: Kind<KubernetesObject>, options: { readonly key: ObjectKey; readonly uid: string }): void {
    this.#notes.deleted(kind, options);
  }

  /** Returns the kind's informers, of all declarations, whose scope covers the key. */
  informersOf(kind: Kind<KubernetesObject>, key: ObjectKey): readonly Informer<KubernetesObject>[] {
    return this.#declared.all(kind).flatMap((each) => each.at(key.namespace) ?? []);
  }

  /** Returns the declaration that serves reads of complete objects. */
  #readable(kind: Kind<KubernetesObject>): DeclaredKind | undefined {
    return this.#declared.of(kind)?.readable;
  }

  /** Returns this process's own writes that reads of the key must take into account. */
  #writesAt(kind: Kind<KubernetesObject>, key: ObjectKey): Informer<KubernetesObject>['ownWrites'] | undefined {
    const declarations = this.#declared.of(kind);
    return (declarations?.readable ?? declarations?.widest)?.at(key.namespace)?.ownWrites;
  }

  #informer(cached: CachedKind, scope: CacheScope): InformerLease {
    const { informers } = this.#options;
    if (informers) return informers.lease(cached, scope);
    const informer = this.#ownInformer(cached, scope);
    return { informer, run: (signal) => informer.run(signal) };
  }

  #ownInformer(cached: CachedKind, scope: CacheScope): Informer<KubernetesObject> {
    const { client, clock, random, log, ownManagers, useWatchList } = this.#options;
    // A kind's index function only ever receives objects of that kind.
    return new Informer<KubernetesObject>({
      ...cached,
      listWatcher: listWatcher(client, {
        kind: cached.kind,
        scope: scope.listWatch,
        metadataOnly: cached.metadataOnly,
      }),
      scope,
      clock,
      random,
      log,
      decoded: this.#decoded,
      availability: this.#availability,
      isAbsent: (signal) => this.#served.isAbsent(cached.kind, signal),
      ownManagers,
      useWatchList,
    });
  }
}

const onlyMetadata = {
  why: 'only the metadata of this kind is cached',
  remedy: 'read the metadata with cache.metadata(kind), or the whole object with the client',
};
const notDeclared = {
  why: 'the cache has no declaration like the one passed as "of"',
  remedy: 'pass a declaration from "caches", "owns" or "watches"',
};

function viewIn(declared: DeclaredKind | undefined, key: ObjectKey): ObjectView<KubernetesObject> | undefined {
  const informer = declared?.at(key.namespace);
  return !informer || informer.ownWrites.isOutside(key) ? undefined : informer.lister.view(key);
}
