import type { Kind, KubernetesObject, ObjectKey } from '@kubewright/apimachinery';
import { type CacheScope, scopesOf } from './cache-scope.ts';
import type { CachedKind } from './cached-kind.ts';
import type { InformerHandler, Subscription } from './event-fan-out.ts';
import type { Informer } from './informer.ts';
import type { Lister } from './lister.ts';
import { MergedLister } from './merged-lister.ts';

/** Options for a {@link DeclaredKind}. */
export interface DeclaredKindOptions {
  /** Namespaces to use if the declaration names none. */
  readonly namespaces: readonly string[] | undefined;
  readonly informer: (cached: CachedKind, scope: CacheScope) => Informer<KubernetesObject>;
}

interface Followed {
  readonly informer: Informer<KubernetesObject>;
  readonly stop: AbortController;
  /** Aborted when the informer leaves the declaration, so that no one keeps waiting for it. */
  readonly left: AbortController;
  running: Promise<void> | undefined;
  readonly subscriptions: Map<InformerHandler<KubernetesObject>, Subscription>;
}

/** One declaration and the informers that serve it: a single one, or one per namespace. */
export class DeclaredKind {
  readonly lister: Lister<KubernetesObject>;
  readonly #options: DeclaredKindOptions;
  /** Keyed by the scope's JSON, in order. */
  #followed: ReadonlyMap<string, Followed>;
  readonly #handlers = new Set<InformerHandler<KubernetesObject>>();
  #cached: CachedKind;
  #signal: AbortSignal | undefined;

  constructor(cached: CachedKind, options: DeclaredKindOptions) {
    this.#cached = cached;
    this.#options = options;
    this.#followed = this.#follow(scopesOf(cached, options.namespaces));
    this.lister = new MergedLister(cached.kind, () => this.informers);
  }

  get cached(): CachedKind {
    return this.#cached;
  }

  get kind(): Kind<KubernetesObject> {
    return this.cached.kind;
  }

  get informers(): readonly Informer<KubernetesObject>[] {
    return [...this.#followed.values()].map((each) => each.informer);
  }

  /** Identifies the part of the kind that is followed and the fields that are kept. */
  get scopeKey(): string {
    return scopeKeyOf(this.cached, this.#options.namespaces);
  }

  /** True if reads see all objects of the kind, or of the namespaces it names. */
  get isWhole(): boolean {
    return this.informers.every(({ scope }) => scope.isWhole);
  }

  /** True if reads return objects with all their fields. */
  get isFull(): boolean {
    return this.cached.fields === undefined && this.cached.metadataOnly !== true;
  }

  /** True if reads in that namespace (undefined: in all declared ones) can be served from here. */
  covers(namespace: string | undefined): boolean {
    if (namespace === undefined || this.kind.scope === 'Cluster') return true;
    return this.informers.some(({ scope }) => scope.covers(namespace));
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

  /** Adds the indexes of another declaration that uses the same informers. */
  addIndexes(indexes: NonNullable<CachedKind['indexes']>): void {
    this.#cached = { ...this.#cached, indexes: { ...indexes, ...this.#cached.indexes } };
    for (const informer of this.informers) informer.addIndexes(indexes);
  }

  /**
   * Waits for the first list of every followed informer, including those added while waiting and excluding those removed.
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
    return this.informers.some((informer) => !informer.hasSynced && !informer.isServed);
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
   * Changes which namespaces are followed. Handlers receive delete events for removed namespaces; added ones are listed in the
   * background. Until an added namespace has synced, reads show nothing of it.
   */
  async setNamespaces(namespaces: NonNullable<CachedKind['namespaces']>): Promise<void> {
    const before = this.#followed;
    const cached = { ...this.cached, namespaces };
    this.#cached = cached;
    this.#followed = this.#follow(scopesOf(cached, undefined), before);
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

  /** Returns the informers whose scope covers the key. */
  of(key: ObjectKey): readonly Informer<KubernetesObject>[] {
    return this.informers.filter(({ scope }) => this.kind.scope === 'Cluster' || scope.covers(key.namespace));
  }

  #follow(scopes: readonly CacheScope[], before?: ReadonlyMap<string, Followed>): ReadonlyMap<string, Followed> {
    return new Map(
      scopes.map((scope) => {
        const key = JSON.stringify(scope.listWatch);
        return [key, before?.get(key) ?? this.#made(scope)];
      }),
    );
  }

  #made(scope: CacheScope): Followed {
    const informer = this.#options.informer(this.cached, scope);
    return {
      informer,
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
    each.running = each.informer.run(each.stop.signal).finally(() => signal.removeEventListener('abort', onAbort));
  }

  async #stop(each: Followed): Promise<void> {
    const reason = new Error(`${this.kind.kind} is no longer cached`);
    each.stop.abort(reason);
    each.left.abort(reason);
    await each.running;
  }
}

/** Waits for an informer, or until it is removed: a list that was stopped never completes. */
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

/** Identifies what a declaration follows and keeps; declarations with equal keys share informers. */
export function scopeKeyOf(cached: CachedKind, namespaces: readonly string[] | undefined): string {
  const { fields, whenMissing, resyncMs } = cached;
  return JSON.stringify({ part: partKeyOf(cached, namespaces), fields, whenMissing, resyncMs });
}

/** Identifies the objects a declaration follows, regardless of which fields it keeps. */
export function partKeyOf(cached: CachedKind, namespaces: readonly string[] | undefined): string {
  const scopes = scopesOf(cached, namespaces).map((scope) => scope.listWatch);
  return JSON.stringify({ scopes, metadataOnly: cached.metadataOnly ?? false });
}
