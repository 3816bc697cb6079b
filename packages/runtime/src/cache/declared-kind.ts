import type { Kind, KubernetesObject } from '@kubewright/apimachinery';
import { IndexConflictError } from './cache-errors.ts';
import { type CacheScope, isNames, scopesOf } from './cache-scope.ts';
import type { CachedKind, CacheSelectors } from './cached-kind.ts';
import type { InformerHandler, Subscription } from './event-fan-out.ts';
import type { Informer } from './informer.ts';
import type { InformerLease } from './informer-lease.ts';
import type { Lister } from './lister.ts';
import { MergedLister } from './merged-lister.ts';

export interface DeclaredKindOptions {
  /** Namespaces to use if the declaration names none. */
  readonly namespaces: readonly string[] | undefined;
  /** Namespaces set at run time, which apply instead of the declared namespaces. */
  readonly changed?: readonly string[] | undefined;
  readonly informer: (cached: CachedKind, scope: CacheScope) => InformerLease;
}

interface Followed extends InformerLease {
  readonly stop: AbortController;
  /** Aborted when the declaration stops using the informer, so that no caller keeps waiting for the informer. */
  readonly left: AbortController;
  running: Promise<void> | undefined;
  readonly subscriptions: Map<InformerHandler<KubernetesObject>, Subscription>;
}

/** One declaration and the informers that serve it: a single informer, or one per namespace. */
export class DeclaredKind {
  readonly lister: Lister<KubernetesObject>;
  /** Identifies the declaration by its original content, even after its namespaces have changed. */
  readonly scopeKey: string;
  readonly #options: DeclaredKindOptions;
  /** The informers in use, by their scope's JSON, in declaration order. */
  #followed: ReadonlyMap<string, Followed> = new Map();
  #informers: readonly Informer<KubernetesObject>[] = [];
  /** Informers that follow a single namespace, by the name of that namespace. */
  #named: ReadonlyMap<string, Informer<KubernetesObject>> = new Map();
  /** The informer that follows all namespaces, or all except those in `#named`. */
  #rest: Informer<KubernetesObject> | undefined;
  readonly #handlers = new Set<InformerHandler<KubernetesObject>>();
  #cached: CachedKind;
  #signal: AbortSignal | undefined;

  constructor(cached: CachedKind, options: DeclaredKindOptions) {
    this.#options = options;
    this.scopeKey = scopeKeyOf(cached, options.namespaces);
    this.#cached = options.changed ? following(cached, options.changed) : cached;
    this.#follow(scopesOf(this.#cached, options.namespaces));
    this.lister = new MergedLister(cached.kind, this);
  }

  /** The declaration, with the namespaces that are followed now. */
  get cached(): CachedKind {
    return this.#cached;
  }

  get kind(): Kind<KubernetesObject> {
    return this.cached.kind;
  }

  get informers(): readonly Informer<KubernetesObject>[] {
    return this.#informers;
  }

  /** Returns the informer whose scope covers the namespace. */
  at(namespace: string | undefined): Informer<KubernetesObject> | undefined {
    const one = namespace === undefined ? undefined : this.#named.get(namespace);
    return one ?? (this.#rest?.scope.covers(namespace) ? this.#rest : undefined);
  }

  /** The namespaces that are followed; `''` stands for all namespaces that are not listed. */
  get namespaces(): readonly string[] {
    return this.#informers.map(({ scope }) => scope.listWatch.namespace ?? '');
  }

  /** True if no selector hides objects: reads return every object of the declared namespaces. */
  get isWhole(): boolean {
    return this.#informers.every(({ scope }) => scope.isWhole);
  }

  /** True if reads return objects with all their fields. */
  get isFull(): boolean {
    return this.cached.fields === undefined && this.cached.metadataOnly !== true;
  }

  /** Reports whether this declaration can serve reads of the namespace (undefined: of all declared namespaces). */
  covers(namespace: string | undefined): boolean {
    if (namespace === undefined || this.kind.scope === 'Cluster') return true;
    return this.at(namespace) !== undefined;
  }

  get handlers(): number {
    return this.#handlers.size;
  }

  /** Passes all changes to a handler, including those of namespaces added later. */
  subscribe(handler: InformerHandler<KubernetesObject>): Subscription {
    this.#handlers.add(handler);
    const replays: Promise<void>[] = [];
    for (const each of this.#followed.values()) {
      const subscription = each.informer.subscribe(handler);
      each.subscriptions.set(handler, subscription);
      replays.push(subscription.replayed);
    }
    return {
      replayed: Promise.all(replays).then(() => {}),
      [Symbol.dispose]: () => {
        this.#handlers.delete(handler);
        for (const each of this.#followed.values()) {
          each.subscriptions.get(handler)?.[Symbol.dispose]();
          each.subscriptions.delete(handler);
        }
      },
    };
  }

  /**
   * Adds the indexes of another declaration that uses the same informers.
   *
   * @throws IndexConflictError (KW3018) if a cache that shares the informers has added an index of that name.
   */
  addIndexes(indexes: NonNullable<CachedKind['indexes']>): void {
    for (const informer of this.#informers) {
      const taken = informer.conflictingIndex(indexes);
      if (taken !== undefined) throw new IndexConflictError(this.kind, taken);
    }
    this.#cached = { ...this.#cached, indexes: { ...indexes, ...this.#cached.indexes } };
    for (const informer of this.#informers) informer.addIndexes(indexes);
  }

  /**
   * Waits for the first list of every followed informer. The wait includes informers that are added in the meantime,
   * and ends early for removed informers.
   *
   * @throws KindNotServedError (KW3016) when the kind is declared with `whenMissing: 'fail'`.
   */
  async waitForSync(signal: AbortSignal): Promise<void> {
    for (;;) {
      const all = [...this.#followed.values()];
      const waiting = all.filter(({ informer, left }) => !informer.hasSynced && !left.signal.aborted);
      signal.throwIfAborted();
      if (waiting.length === 0) return;
      await Promise.all(waiting.map((each) => unlessLeft(each, signal, 'waitForSync')));
    }
  }

  /**
   * Waits until every followed informer has listed, or its kind is known not to be served.
   *
   * @throws KindNotServedError (KW3016) when the kind is declared with `whenMissing: 'fail'`.
   */
  async waitUntilKnown(signal: AbortSignal): Promise<void> {
    await Promise.all([...this.#followed.values()].map((each) => unlessLeft(each, signal, 'waitUntilKnown')));
  }

  /** True while the first list waits for the kind to be served. */
  get isMissing(): boolean {
    return this.#informers.some((informer) => !informer.hasSynced && !informer.isServed);
  }

  /** Starts the informers, including those added later. */
  run(signal: AbortSignal): void {
    this.#signal = signal;
    for (const each of this.#followed.values()) this.#run(each, signal);
  }

  /** Resolves when all informers have stopped; abort `run`'s signal to stop them. */
  async stopped(): Promise<void> {
    await Promise.all([...this.#followed.values()].map((each) => each.running));
  }

  /**
   * Changes which namespaces are followed. Handlers receive delete events for removed namespaces; added namespaces are listed in
   * the background. Until an added namespace has synced, reads return none of its objects. Namespaces that stay keep their
   * selectors.
   */
  async setNamespaces(namespaces: readonly string[]): Promise<void> {
    const before = this.#followed;
    this.#cached = following(this.#cached, namespaces);
    this.#follow(scopesOf(this.#cached, undefined));
    const left = [...before].filter(([key]) => !this.#followed.has(key)).map(([, each]) => each);
    for (const each of left) {
      for (const [handler, subscription] of each.subscriptions) {
        subscription[Symbol.dispose]();
        each.informer.withdraw(handler);
      }
    }
    for (const [key, each] of this.#followed) {
      if (before.has(key)) continue;
      for (const handler of this.#handlers) each.subscriptions.set(handler, each.informer.subscribe(handler));
      if (this.#signal) this.#run(each, this.#signal);
    }
    await Promise.all(left.map((each) => this.#stop(each)));
  }

  /** Stops all informers. */
  async stop(): Promise<void> {
    await Promise.all([...this.#followed.values()].map((each) => this.#stop(each)));
  }

  #follow(scopes: readonly CacheScope[]): void {
    const before = this.#followed;
    this.#followed = new Map(
      scopes.map((scope) => {
        const key = JSON.stringify(scope.listWatch);
        return [key, before.get(key) ?? this.#made(scope)];
      }),
    );
    this.#informers = [...this.#followed.values()].map((each) => each.informer);
    const named = this.#informers.flatMap((informer) => {
      const { namespace } = informer.scope.listWatch;
      return namespace === undefined ? [] : [[namespace, informer] as const];
    });
    this.#named = new Map(named);
    this.#rest = this.#informers.find(({ scope }) => scope.listWatch.namespace === undefined);
  }

  #made(scope: CacheScope): Followed {
    return {
      ...this.#options.informer(this.cached, scope),
      stop: new AbortController(),
      left: new AbortController(),
      running: undefined,
      subscriptions: new Map(),
    };
  }

  #run(each: Followed, signal: AbortSignal): void {
    if (each.running) return;
    const onAbort = (): void => each.stop.abort(signal.reason);
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort, { once: true });
    each.running = each.run(each.stop.signal).finally(() => signal.removeEventListener('abort', onAbort));
  }

  async #stop(each: Followed): Promise<void> {
    const reason = new Error(`${this.kind.kind} is no longer cached`);
    each.stop.abort(reason);
    each.left.abort(reason);
    await each.running;
  }
}

/**
 * Waits for an informer's first list. Stops waiting if the informer is removed, because the list then never completes.
 */
async function unlessLeft(
  { informer, left }: Followed,
  signal: AbortSignal,
  wait: 'waitForSync' | 'waitUntilKnown',
): Promise<void> {
  try {
    await informer[wait](AbortSignal.any([signal, left.signal]));
  } catch (error) {
    if (signal.aborted || !left.signal.aborted) throw error;
  }
}

/** Returns the declaration with other namespaces. Namespaces that have their own selectors keep them. */
function following(cached: CachedKind, namespaces: readonly string[]): CachedKind {
  const before = cached.namespaces;
  if (before === undefined || isNames(before)) return { ...cached, namespaces };
  const selectors = (name: string): CacheSelectors => (Object.hasOwn(before, name) ? (before[name] ?? {}) : {});
  return { ...cached, namespaces: Object.fromEntries(namespaces.map((name) => [name, selectors(name)])) };
}

/** Returns a key for the objects and fields that a declaration caches; declarations with equal keys share informers. */
export function scopeKeyOf(cached: CachedKind, namespaces: readonly string[] | undefined): string {
  const { fields, whenMissing, resyncMs } = cached;
  return JSON.stringify({ part: partKeyOf(cached, namespaces), fields, whenMissing, resyncMs });
}

/** Returns a key for the objects that a declaration follows, regardless of which fields it keeps. */
export function partKeyOf(cached: CachedKind, namespaces: readonly string[] | undefined): string {
  const scopes = scopesOf(cached, namespaces).map((scope) => scope.listWatch);
  return JSON.stringify({ scopes, metadataOnly: cached.metadataOnly ?? false });
}
