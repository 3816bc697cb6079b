import { hostname } from 'node:os';
import {
  type Clock,
  type Kind,
  type KubernetesObject,
  type ObjectKey,
  type Random,
  type Stored,
  systemClock,
  systemRandom,
} from '@kubewright/apimachinery';
import type { KubernetesClient } from '@kubewright/client';
import type { Cache } from '../cache/cache.ts';
import { asCachedKind, type CachedKind } from '../cache/cached-kind.ts';
import { InformerCache } from '../cache/informer-cache.ts';
import type { CacheListOptions } from '../cache/lister.ts';
import { type ReadOptions, SplitReads } from '../cache/split-reads.ts';
import { kindFinder } from '../discovery/kind-finder.ts';
import type { HandlerContext } from '../handler/event-handler.ts';
import type { HealthCheck } from '../health/checks-handler.ts';
import { defaultLogger } from '../log/default-logger.ts';
import type { Logger } from '../log/logger.ts';
import { ApiEventRecorder } from '../recorder/api-event-recorder.ts';
import type { EventRecorder } from '../recorder/event-recorder.ts';
import type { Runnable } from '../runnable/runnable.ts';
import type { WatchedCluster } from '../source/kind-source.ts';
import type { SourceStart, Watch } from '../source/source.ts';

interface ClusterOptions {
  /** Name of the runnable, used in logs too. */
  readonly name: string;
  /** Client for the cluster; the creator of the client must dispose it. */
  readonly client: KubernetesClient;
  /** Kinds that are only read from the cache; kinds that sources watch need not be listed. */
  readonly caches?: readonly (CachedKind | Kind<KubernetesObject>)[];
  /** Restricts namespaced caches. @defaultValue all namespaces */
  readonly namespaces?: readonly string[];
  readonly clock?: Clock;
  readonly random?: Random;
  readonly log?: Logger;
}

/** How long to keep writing pending events when the cluster stops, in milliseconds. */
const flushMs = 1_000;

/**
 * An additional cluster next to the manager's own, with its own client, cache and events. It is a runnable, so the manager starts
 * and stops it. Controllers watch it with {@link kindSource} and read and write through its members.
 *
 * Mirrors upstream's `cluster.Cluster`. The manager itself plays this role for its own cluster.
 */
export class Cluster implements Runnable, WatchedCluster {
  readonly name: string;
  readonly needLeaderElection = false;
  /** Client for live calls; the cache records its writes. */
  readonly client: KubernetesClient;
  readonly #clock: Clock;
  readonly #cache: InformerCache;
  readonly #reads: SplitReads;
  readonly #recorder: ApiEventRecorder;

  constructor(options: ClusterOptions) {
    const { name, clock = systemClock, random = systemRandom, namespaces, caches = [] } = options;
    const log = (options.log ?? defaultLogger({ clock })).named(name);
    const { discovery } = options.client;
    this.name = name;
    this.#clock = clock;
    this.#cache = new InformerCache({
      client: options.client.intercepted(kindFinder({ discovery, clock, explain: false })),
      clock,
      random,
      log: log.named('cache'),
      namespaces,
    });
    this.client = this.#cache.following(options.client.intercepted(kindFinder({ discovery, clock, explain: true })));
    this.#reads = new SplitReads({ cache: this.#cache, client: this.client });
    this.#recorder = new ApiEventRecorder({
      client: this.client,
      clock,
      random,
      log: log.named('events'),
      host: hostname(),
    });
    for (const each of caches) this.#cache.declare(asCachedKind(each));
  }

  /**
   * Fails while the data in any cache of this cluster may be stale or missing.
   *
   * @example readyzChecks: { remote: remote.readyz }
   */
  readonly readyz: HealthCheck = () => {
    const faults = this.#cache.informers.flatMap(({ fault }) => fault ?? []);
    if (faults.length > 0) throw new Error(`${this.name}: ${faults.join('; ')}`);
  };

  get cache(): Cache {
    return this.#cache;
  }

  /** Reads from this cluster's cache if kind and namespace are declared, otherwise live. Returns `undefined` if not found. */
  get<T extends KubernetesObject>(
    kind: Kind<T>,
    key: ObjectKey,
    options?: ReadOptions,
  ): Promise<Stored<T> | undefined> {
    return this.#reads.get(kind, key, options);
  }

  /** Lists from this cluster's cache if the kind, and the namespace if given, are declared, otherwise live. */
  list<T extends KubernetesObject>(
    kind: Kind<T>,
    options?: CacheListOptions & ReadOptions,
  ): Promise<readonly Stored<T>[]> {
    return this.#reads.list(kind, options);
  }

  /**
   * Returns a recorder that writes events to this cluster. Events are about `regarding` unless they name another
   * object.
   */
  recorder(controller: string, regarding?: KubernetesObject): EventRecorder {
    return this.#recorder.for(controller, regarding);
  }

  /** Follows the cluster until `signal` is aborted. */
  async run(signal: AbortSignal): Promise<void> {
    await this.#cache.run(signal);
    const flush = new AbortController();
    using _timer = this.#clock.setTimer(flushMs, () => flush.abort());
    await this.#recorder.stop(flush.signal);
  }

  async follow(watched: Watch, to: { readonly context: HandlerContext; readonly start: SourceStart }): Promise<void> {
    const { signal } = to.start;
    const declared = this.#cache.declare(watched.cached);
    const subscription = declared.subscribe((event) => {
      if (watched.predicates.every((predicate) => predicate(event))) watched.handler(event, to.context);
    });
    signal.addEventListener('abort', () => subscription[Symbol.dispose](), { once: true });
    await Promise.all([subscription.replayed, declared.waitForSync(signal)]);
  }
}
