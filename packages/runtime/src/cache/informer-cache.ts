import type { Clock, Kind, KubernetesObject, ObjectKey, Random } from '@kubewright/apimachinery';
import type { KubernetesClient } from '@kubewright/client';
import type { CallTarget } from '@kubewright/client/internal';
import type { ObjectView } from '../handler/object-view.ts';
import { kindKey } from '../kind/define-kind.ts';
import type { Logger } from '../log/logger.ts';
import { type ListWatchClient, listWatcher } from '../reflector/list-watcher.ts';
import { ServerReach } from '../reflector/server-reach.ts';
import type { Cache, PartialObjectMetadata } from './cache.ts';
import { CacheInUseError, IndexConflictError, KindNotCachedError } from './cache-errors.ts';
import type { CacheScope } from './cache-scope.ts';
import type { CachedKind } from './cached-kind.ts';
import { DeclaredKind, partKeyOf, scopeKeyOf } from './declared-kind.ts';
import { DecodedObjects } from './decoded-objects.ts';
import { Informer } from './informer.ts';
import type { Lister } from './lister.ts';
import { ServedKinds } from './served-kinds.ts';
import { WriteNotes } from './write-notes.ts';

/** Options for an {@link InformerCache}. */
export interface InformerCacheOptions {
  readonly client: ListWatchClient;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  /** Namespaces for namespaced kinds whose declaration names none. */
  readonly namespaces?: readonly string[];
  /** Field managers whose managedFields entries are kept. */
  readonly ownManagers?: ReadonlySet<string>;
  readonly useWatchList?: boolean;
  /** Limit on cached decoded objects, in bytes of their JSON. @defaultValue 8 MiB */
  readonly decodedBytes?: number;
}

/** A cache that creates informers from declarations and shares them between equal declarations. */
export class InformerCache implements Cache {
  readonly #options: InformerCacheOptions;
  readonly #declared = new Map<string, DeclaredKind[]>();
  readonly #decoded: DecodedObjects;
  readonly #notes: WriteNotes;
  readonly #served: ServedKinds;
  readonly #reach: ServerReach;
  #signal: AbortSignal | undefined;

  constructor(options: InformerCacheOptions) {
    this.#options = options;
    this.#decoded = new DecodedObjects(options.decodedBytes);
    this.#reach = new ServerReach(options);
    this.#served = new ServedKinds({ discovery: options.client.discovery, clock: options.clock });
    this.#notes = new WriteNotes({
      kindOf: (target) => this.#kindOfTarget(target),
      informersOf: (kind, key) => this.informersOf(kind, key),
    });
  }

  /**
   * Declares that a kind is cached. Declarations of equal scope share informers and combine their indexes.
   *
   * @throws IndexConflictError (KW3018) when the same part of the kind already has an index of that name with another function.
   */
  declare(cached: CachedKind): DeclaredKind {
    const key = kindKey(cached.kind);
    const declared = this.#declared.get(key) ?? [];
    const { namespaces } = this.#options;
    const scopeKey = scopeKeyOf(cached, namespaces);
    refuseOtherIndexes(declared, { cached, namespaces });
    const same = declared.find((each) => each.scopeKey === scopeKey && each.cached.transform === cached.transform);
    if (same) {
      if (cached.indexes) same.addIndexes(cached.indexes);
      return same;
    }
    const made = new DeclaredKind(cached, { namespaces, informer: (of, scope) => this.#informer(of, scope) });
    this.#declared.set(key, [...declared, made]);
    if (this.#signal) made.run(this.#signal);
    return made;
  }

  async add(cached: CachedKind, options: { readonly signal: AbortSignal }): Promise<void> {
    const declared = this.declare(cached);
    if (!this.#signal) return;
    await declared.waitForSync(options.signal);
    // The kind was removed while waiting, so it can no longer be read.
    if (!this.#declared.get(kindKey(cached.kind))?.includes(declared)) throw new KindNotCachedError(cached.kind);
  }

  async setNamespaces(
    kind: Kind<KubernetesObject>,
    options: { readonly namespaces: readonly string[] },
  ): Promise<void> {
    const declared = this.#declared.get(kindKey(kind));
    if (!declared) throw new KindNotCachedError(kind);
    await Promise.all(declared.map((each) => each.setNamespaces(options.namespaces)));
  }

  async remove(kind: Kind<KubernetesObject>): Promise<void> {
    const declared = this.#declared.get(kindKey(kind)) ?? [];
    if (declared.some((each) => each.handlers > 0)) throw new CacheInUseError(kind);
    this.#declared.delete(kindKey(kind));
    await Promise.all(declared.map((each) => each.stop()));
  }

  has(kind: Kind<KubernetesObject>): boolean {
    return this.#readable(kind) !== undefined;
  }

  /** True if reads of the kind in that namespace (undefined: in all declared ones) can be served from here. */
  holds(kind: Kind<KubernetesObject>, namespace: string | undefined): boolean {
    return this.#readable(kind)?.covers(namespace) ?? false;
  }

  lister<T extends KubernetesObject>(kind: Kind<T>): Lister<T> {
    const declared = this.#readable(kind);
    if (!declared) {
      throw new KindNotCachedError(kind, this.#declared.has(kindKey(kind)) ? onlyMetadata : undefined);
    }
    // The store of a kind contains only objects of that kind.
    return declared.lister as unknown as Lister<T>;
  }

  /** Reads one object if it can be read here; unlike a lister, returns undefined for keys outside the cache. */
  peek<T extends KubernetesObject>(kind: Kind<T>, key: ObjectKey): ObjectView<T> | undefined {
    // The store of a kind contains only objects of that kind.
    return viewIn(this.#readable(kind), key) as ObjectView<T> | undefined;
  }

  /** Like {@link peek}, for callers that need only metadata. */
  peekMetadata(kind: Kind<KubernetesObject>, key: ObjectKey): ObjectView<PartialObjectMetadata> | undefined {
    return viewIn(widest(this.#declared.get(kindKey(kind)) ?? []), key);
  }

  /** True if a write's response left the object's state unknown, so that only the server knows it. */
  isUncertain(kind: Kind<KubernetesObject>, key: ObjectKey): boolean {
    return this.informersOf(kind, key).some(({ ownWrites }) => ownWrites.isUncertain(key));
  }

  /** True if {@link peek} does not show the object because a write of this process moved it out of the cached scope. */
  isOutside(kind: Kind<KubernetesObject>, key: ObjectKey): boolean {
    const informers = this.#readable(kind)?.of(key) ?? [];
    return informers.some(({ ownWrites }) => ownWrites.isOutside(key));
  }

  /** False if only the server knows the object's state: a write's response left it unknown, or a write moved it out of scope. */
  isCertain(kind: Kind<KubernetesObject>, key: ObjectKey): boolean {
    return this.informersOf(kind, key).every(
      (each) => !each.ownWrites.isUncertain(key) && !each.ownWrites.isOutside(key),
    );
  }

  metadata(kind: Kind<KubernetesObject>): Lister<PartialObjectMetadata> {
    const declared = widest(this.#declared.get(kindKey(kind)) ?? []);
    if (!declared) throw new KindNotCachedError(kind);
    return declared.lister;
  }

  /** Finds the declared kind of an object by its type; undefined if it is not cached. */
  kindOf(object: { readonly apiVersion: string; readonly kind: string }): Kind<KubernetesObject> | undefined {
    for (const [first] of this.#declared.values()) {
      const { kind } = first!;
      const apiVersion = kind.group === '' ? kind.version : `${kind.group}/${kind.version}`;
      if (kind.kind === object.kind && apiVersion === object.apiVersion) return kind;
    }
    return undefined;
  }

  /** The informers of all declarations. */
  get informers(): readonly Informer<KubernetesObject>[] {
    return [...this.#declared.values()].flat().flatMap((each) => each.informers);
  }

  /** Starts all informers; resolves when `signal` is aborted and they have stopped. */
  async run(signal: AbortSignal): Promise<void> {
    this.#signal = signal;
    const all = (): readonly DeclaredKind[] => [...this.#declared.values()].flat();
    for (const each of all()) each.run(signal);
    if (!signal.aborted)
      await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
    await Promise.all(all().map((each) => each.stopped()));
  }

  async waitForSync(signal: AbortSignal): Promise<void> {
    await Promise.all([...this.#declared.values()].flat().map((each) => each.waitForSync(signal)));
  }

  /** Waits until all kinds have listed or are known not to be served. */
  async waitUntilKnown(signal: AbortSignal): Promise<void> {
    await Promise.all([...this.#declared.values()].flat().map((each) => each.waitUntilKnown(signal)));
  }

  /** Returns a client whose writes are recorded in this cache, so that reads are never older than them. */
  following(client: KubernetesClient): KubernetesClient {
    return client.observed(this.#notes.observer);
  }

  noteWrite(kind: Kind<KubernetesObject>, object: KubernetesObject): void {
    this.#notes.wrote(kind, object);
  }

  noteDeletion(kind: Kind<KubernetesObject>, options: { readonly key: ObjectKey; readonly uid: string }): void {
    this.#notes.deleted(kind, options);
  }

  /** Returns all informers of a kind. */
  allOf(kind: Kind<KubernetesObject>): readonly Informer<KubernetesObject>[] {
    return (this.#declared.get(kindKey(kind)) ?? []).flatMap((each) => each.informers);
  }

  /** Returns the kind's informers whose scope covers the key. */
  informersOf(kind: Kind<KubernetesObject>, key: ObjectKey): readonly Informer<KubernetesObject>[] {
    return (this.#declared.get(kindKey(kind)) ?? []).flatMap((each) => each.of(key));
  }

  /** Returns the declaration that serves reads of complete objects. */
  #readable(kind: Kind<KubernetesObject>): DeclaredKind | undefined {
    return widest((this.#declared.get(kindKey(kind)) ?? []).filter((each) => each.cached.metadataOnly !== true));
  }

  #kindOfTarget(target: CallTarget): Kind<KubernetesObject> | undefined {
    for (const [first] of this.#declared.values()) {
      const { kind } = first!;
      if (kind.group === target.group && kind.plural === target.resource) return kind;
    }
    return undefined;
  }

  #informer(cached: CachedKind, scope: CacheScope): Informer<KubernetesObject> {
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
      reach: this.#reach,
      isAbsent: (signal) => this.#served.isAbsent(cached.kind, signal),
      ...(ownManagers && { ownManagers }),
      ...(useWatchList !== undefined && { useWatchList }),
    });
  }
}

const onlyMetadata = 'only its metadata is cached; read cache.metadata(kind)';

function viewIn(declared: DeclaredKind | undefined, key: ObjectKey): ObjectView<KubernetesObject> | undefined {
  if (!declared?.covers(key.namespace)) return undefined;
  if (declared.of(key).some(({ ownWrites }) => ownWrites.isOutside(key))) return undefined;
  return declared.lister.view(key);
}

/** Picks the declaration that serves reads: preferably one with all fields, then with all objects, then in all namespaces. */
function widest(declared: readonly DeclaredKind[]): DeclaredKind | undefined {
  const rank = (each: DeclaredKind): number =>
    (each.isFull ? 4 : 0) + (each.isWhole ? 2 : 0) + (each.cached.namespaces === undefined ? 1 : 0);
  return [...declared].sort((a, b) => rank(b) - rank(a))[0];
}

/**
 * Rejects an index name that is already taken by another function. A list selects an index only by name, so one of the two
 * declarations would get wrong results.
 */
function refuseOtherIndexes(
  declared: readonly DeclaredKind[],
  wanted: { readonly cached: CachedKind; readonly namespaces: readonly string[] | undefined },
): void {
  const { cached, namespaces } = wanted;
  const part = partKeyOf(cached, namespaces);
  for (const present of declared) {
    if (partKeyOf(present.cached, namespaces) !== part) continue;
    const there = present.cached.indexes ?? {};
    for (const [name, func] of Object.entries(cached.indexes ?? {})) {
      if (Object.hasOwn(there, name) && there[name] !== func) throw new IndexConflictError(cached.kind, name);
    }
  }
}
