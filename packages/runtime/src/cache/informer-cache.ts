import type { Clock, Kind, KubernetesObject, ObjectKey, Random } from '@kubewright/apimachinery';
import type { CallTarget, KubernetesClient } from '@kubewright/client';
import type { ObjectView } from '../handler/object-view.ts';
import { kindKey } from '../kind/kind-key.ts';
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

/** Options of an {@link InformerCache}. */
export interface InformerCacheOptions {
  readonly client: ListWatchClient;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  /** Restricts namespaced kinds that name no namespaces themselves. */
  readonly namespaces?: readonly string[];
  /** Field managers whose managed-fields entries are kept. */
  readonly ownManagers?: ReadonlySet<string>;
  readonly useWatchList?: boolean;
  /** Bound of the decoded objects kept at hand, in bytes of their JSON. @defaultValue 8 MiB */
  readonly decodedBytes?: number;
}

/** A cache whose informers are made by declarations and shared by all who declare the same. */
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
   * Declares that a kind is cached. Equal scopes share informers, and add their indexes up.
   *
   * @throws IndexConflictError (KW3018) where an index of the same part of the kind has the name and another function.
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
    // Taken away while it was waited for: what is there no more cannot be read.
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

  /** True if reads of the kind in that namespace (undefined: in all that are declared) can be answered from here. */
  holds(kind: Kind<KubernetesObject>, namespace: string | undefined): boolean {
    return this.#readable(kind)?.covers(namespace) ?? false;
  }

  lister<T extends KubernetesObject>(kind: Kind<T>): Lister<T> {
    const declared = this.#readable(kind);
    if (!declared) {
      throw new KindNotCachedError(kind, this.#declared.has(kindKey(kind)) ? onlyMetadata : undefined);
    }
    // The store behind the kind holds only its objects.
    return declared.lister as unknown as Lister<T>;
  }

  /** Reads one object if it can be read here, without a word about those that cannot. */
  peek<T extends KubernetesObject>(kind: Kind<T>, key: ObjectKey): ObjectView<T> | undefined {
    // The store behind the kind holds only its objects.
    return viewIn(this.#readable(kind), key) as ObjectView<T> | undefined;
  }

  /** The same where metadata is enough. */
  peekMetadata(kind: Kind<KubernetesObject>, key: ObjectKey): ObjectView<PartialObjectMetadata> | undefined {
    return viewIn(widest(this.#declared.get(kindKey(kind)) ?? []), key);
  }

  /** True for an object of whose state only the server can tell, as the answer to a write did not. */
  isUncertain(kind: Kind<KubernetesObject>, key: ObjectKey): boolean {
    return this.informersOf(kind, key).some(({ ownWrites }) => ownWrites.isUncertain(key));
  }

  /** True for an object that {@link peek} does not show because a write of this process put it outside what is cached. */
  isOutside(kind: Kind<KubernetesObject>, key: ObjectKey): boolean {
    const informers = this.#readable(kind)?.of(key) ?? [];
    return informers.some(({ ownWrites }) => ownWrites.isOutside(key));
  }

  /** False for an object of whose state only the server can tell, after a write that did not, or that put it outside. */
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

  /** Finds the declared kind of an object's type; undefined when it is not cached. */
  kindOf(object: { readonly apiVersion: string; readonly kind: string }): Kind<KubernetesObject> | undefined {
    for (const [first] of this.#declared.values()) {
      const { kind } = first!;
      const apiVersion = kind.group === '' ? kind.version : `${kind.group}/${kind.version}`;
      if (kind.kind === object.kind && apiVersion === object.apiVersion) return kind;
    }
    return undefined;
  }

  /** Informers of all declarations. */
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

  /** Waits until all kinds have listed, or are known not to be served. */
  async waitUntilKnown(signal: AbortSignal): Promise<void> {
    await Promise.all([...this.#declared.values()].flat().map((each) => each.waitUntilKnown(signal)));
  }

  /** Makes a client whose writes this cache learns of, so that its reads are never behind them. */
  following(client: KubernetesClient): KubernetesClient {
    return client.observed(this.#notes.observer);
  }

  noteWrite(kind: Kind<KubernetesObject>, object: KubernetesObject): void {
    this.#notes.wrote(kind, object);
  }

  noteDeletion(kind: Kind<KubernetesObject>, options: { readonly key: ObjectKey; readonly uid: string }): void {
    this.#notes.deleted(kind, options);
  }

  /** All informers of a kind. */
  allOf(kind: Kind<KubernetesObject>): readonly Informer<KubernetesObject>[] {
    return (this.#declared.get(kindKey(kind)) ?? []).flatMap((each) => each.informers);
  }

  /** All informers that would show an object of that key, or of its namespace. */
  informersOf(kind: Kind<KubernetesObject>, key: ObjectKey): readonly Informer<KubernetesObject>[] {
    return (this.#declared.get(kindKey(kind)) ?? []).flatMap((each) => each.of(key));
  }

  /** The declaration that answers reads of whole objects. */
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
    // One kind's function is never given another kind's object.
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

const onlyMetadata = 'only its metadata is; read cache.metadata(kind)';

function viewIn(declared: DeclaredKind | undefined, key: ObjectKey): ObjectView<KubernetesObject> | undefined {
  if (!declared?.covers(key.namespace)) return undefined;
  if (declared.of(key).some(({ ownWrites }) => ownWrites.isOutside(key))) return undefined;
  return declared.lister.view(key);
}

/** Of several declarations of a kind, the one that answers reads: one of all fields, of all objects, of all namespaces. */
function widest(declared: readonly DeclaredKind[]): DeclaredKind | undefined {
  const rank = (each: DeclaredKind): number =>
    (each.isFull ? 4 : 0) + (each.isWhole ? 2 : 0) + (each.cached.namespaces === undefined ? 1 : 0);
  return [...declared].sort((a, b) => rank(b) - rank(a))[0];
}

/** A list by an index names it and nothing else: whoever meant the other function would get a wrong answer. */
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
