import type { Clock, Kind, KubernetesObject, ObjectKey, Random } from '@kubewright/apimachinery';
import { kindKey } from '../kind/kind-key.ts';
import type { Logger } from '../log/logger.ts';
import { type ListWatchClient, type ListWatchScope, listWatcher } from '../reflector/list-watcher.ts';
import type { Cache } from './cache.ts';
import type { CachedKind } from './cached-kind.ts';
import { DecodedObjects } from './decoded-objects.ts';
import { Informer } from './informer.ts';
import type { Lister } from './lister.ts';
import { MergedLister } from './merged-lister.ts';

/** Thrown for a read of a kind that was not declared. */
export class KindNotCachedError extends Error {
  /** Names the class of failure; the declaration must be added, a retry is no use. */
  readonly code = 'KW3001';

  constructor(kind: Kind<KubernetesObject>) {
    super(
      `cannot read ${kind.kind} from the cache: it is not declared; add it to "owns", "watches" or "caches", or read it live with the client`,
    );
    this.name = 'KindNotCachedError';
  }
}

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

/** The informers that serve one declaration: one, or one for each namespace. */
export interface DeclaredKind {
  readonly cached: CachedKind;
  readonly informers: readonly Informer<KubernetesObject>[];
  readonly lister: Lister<KubernetesObject>;
}

/** A cache whose informers are made by declarations and shared by all who declare the same. */
export class InformerCache implements Cache {
  readonly #options: InformerCacheOptions;
  readonly #declared = new Map<string, DeclaredKind[]>();
  readonly #decoded: DecodedObjects;
  readonly #running = new Map<Informer<KubernetesObject>, Promise<void>>();
  #signal: AbortSignal | undefined;

  constructor(options: InformerCacheOptions) {
    this.#options = options;
    this.#decoded = new DecodedObjects(options.decodedBytes);
  }

  /** Declares that a kind is cached. Equal scopes share informers; indexes of the first declaration of a scope hold. */
  declare(cached: CachedKind): DeclaredKind {
    const key = kindKey(cached.kind);
    const declared = this.#declared.get(key) ?? [];
    const scopeKey = JSON.stringify(this.#scopes(cached));
    const same = declared.find(
      (each) => JSON.stringify(this.#scopes(each.cached)) === scopeKey && providesIndexes(each.cached, cached),
    );
    if (same) return same;
    const informers = this.#scopes(cached).map((scope) => this.#informer(cached, scope));
    const listers = informers.map((informer) => informer.lister);
    const lister = listers.length === 1 ? listers[0]! : new MergedLister(listers);
    const made: DeclaredKind = { cached, informers, lister };
    this.#declared.set(key, [...declared, made]);
    if (this.#signal) for (const informer of informers) this.#run(informer, this.#signal);
    return made;
  }

  has(kind: Kind<KubernetesObject>): boolean {
    return this.#declared.has(kindKey(kind));
  }

  /** True if reads of the kind in that namespace (undefined: in all that are declared) can be answered from here. */
  holds(kind: Kind<KubernetesObject>, namespace: string | undefined): boolean {
    const declared = this.#declared.get(kindKey(kind));
    if (!declared) return false;
    if (namespace === undefined || kind.scope === 'Cluster') return true;
    return this.#scopes(widest(declared).cached).some(
      (scope) => scope.namespace === undefined || scope.namespace === namespace,
    );
  }

  lister<T extends KubernetesObject>(kind: Kind<T>): Lister<T> {
    const declared = this.#declared.get(kindKey(kind));
    if (!declared) throw new KindNotCachedError(kind);
    // The store behind the kind holds only its objects.
    return widest(declared).lister as unknown as Lister<T>;
  }

  /** Finds the declared kind of an object's type; undefined when it is not cached. */
  kindOf(object: { readonly apiVersion: string; readonly kind: string }): Kind<KubernetesObject> | undefined {
    for (const [first] of this.#declared.values()) {
      const { kind } = first!.cached;
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
    for (const informer of this.informers) this.#run(informer, signal);
    if (!signal.aborted)
      await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
    await Promise.all(this.#running.values());
  }

  async waitForSync(signal: AbortSignal): Promise<void> {
    await Promise.all(this.informers.map((informer) => informer.waitForSync(signal)));
  }

  /** Notes what the API server answered to a write, so that reads show at least that. */
  noteWrite(kind: Kind<KubernetesObject>, object: KubernetesObject): void {
    for (const informer of this.#covering(kind, object.metadata.namespace)) informer.noteWrite(object);
  }

  /** Notes that the object of that uid is gone. */
  noteDeletion(kind: Kind<KubernetesObject>, options: { readonly key: ObjectKey; readonly uid: string }): void {
    for (const informer of this.#covering(kind, options.key.namespace)) informer.noteDeletion(options.key, options.uid);
  }

  /** Only informers that show every object of the namespace: others may never show this one. */
  #covering(kind: Kind<KubernetesObject>, namespace: string | undefined): readonly Informer<KubernetesObject>[] {
    return (this.#declared.get(kindKey(kind)) ?? [])
      .filter((each) => each.cached.labelSelector === undefined && each.cached.fieldSelector === undefined)
      .flatMap((each) => {
        const scopes = this.#scopes(each.cached);
        return each.informers.filter(
          (_, i) => scopes[i]!.namespace === undefined || scopes[i]!.namespace === namespace,
        );
      });
  }

  #scopes(cached: CachedKind): readonly ListWatchScope[] {
    const { labelSelector, fieldSelector } = cached;
    const selectors = { labelSelector, fieldSelector };
    const namespaces = cached.namespaces ?? this.#options.namespaces;
    if (cached.kind.scope === 'Cluster' || !namespaces || namespaces.length === 0) return [selectors];
    return [...new Set(namespaces)].sort().map((namespace) => ({ namespace, ...selectors }));
  }

  #informer(cached: CachedKind, scope: ListWatchScope): Informer<KubernetesObject> {
    const { client, clock, random, log, ownManagers, useWatchList } = this.#options;
    return new Informer<KubernetesObject>({
      kind: cached.kind,
      listWatcher: listWatcher(client, { kind: cached.kind, scope }),
      clock,
      random,
      log,
      decoded: this.#decoded,
      ...(ownManagers && { ownManagers }),
      ...(cached.indexes && { indexes: cached.indexes }),
      ...(useWatchList !== undefined && { useWatchList }),
    });
  }

  #run(informer: Informer<KubernetesObject>, signal: AbortSignal): void {
    if (!this.#running.has(informer)) this.#running.set(informer, informer.run(signal));
  }
}

/** Of several declarations of a kind, the one that answers reads: one without selectors, of these one of all namespaces. */
function widest(declared: readonly DeclaredKind[]): DeclaredKind {
  const whole = declared.filter((each) => isWhole(each.cached));
  return whole.find((each) => each.cached.namespaces === undefined) ?? whole[0] ?? declared[0]!;
}

function isWhole(cached: CachedKind): boolean {
  return cached.labelSelector === undefined && cached.fieldSelector === undefined;
}

function providesIndexes(provider: CachedKind, wanted: CachedKind): boolean {
  return Object.entries(wanted.indexes ?? {}).every(([name, func]) => provider.indexes?.[name] === func);
}
