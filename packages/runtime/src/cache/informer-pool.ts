import type { Clock, KubernetesObject, Random } from '@kubewright/apimachinery';
import { kindKey } from '../kind/define-kind.ts';
import type { Logger } from '../log/logger.ts';
import { type ListWatchClient, listWatcher } from '../reflector/list-watcher.ts';
import { ServerAvailability } from '../reflector/server-availability.ts';
import type { CacheScope } from './cache-scope.ts';
import type { CachedKind } from './cached-kind.ts';
import { DecodedObjects } from './decoded-objects.ts';
import { Informer } from './informer.ts';
import type { InformerLease } from './informer-lease.ts';
import { ServedKinds } from './served-kinds.ts';

export interface InformerPoolOptions {
  /** Client for the lists and watches of all controllers. */
  readonly client: ListWatchClient;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  /**
   * Limit on decoded objects, in bytes of their JSON.
   * @defaultValue 8 MiB, and 1/96 of the heap limit for objects that had to be decoded again after they were evicted
   */
  readonly decodedBytes?: number | undefined;
}

/** An informer and the number of leases on it. */
interface Shared {
  readonly key: string;
  readonly transform: CachedKind['transform'];
  readonly informer: Informer<KubernetesObject>;
  readonly stop: AbortController;
  leases: number;
  running: Promise<void> | undefined;
}

/**
 * Creates informers for several caches. Equal declarations share one informer, which has the indexes of all
 * declarations.
 */
export class InformerPool implements AsyncDisposable {
  readonly #options: InformerPoolOptions;
  readonly #decoded: DecodedObjects;
  readonly #served: ServedKinds;
  readonly #availability: ServerAvailability;
  readonly #all = new Set<Shared>();

  constructor(options: InformerPoolOptions) {
    this.#options = options;
    this.#decoded = new DecodedObjects(options.decodedBytes);
    this.#availability = new ServerAvailability(options);
    this.#served = new ServedKinds({ discovery: options.client.discovery, clock: options.clock });
  }

  /** The informers in use. */
  get informers(): readonly Informer<KubernetesObject>[] {
    return [...this.#all].map(({ informer }) => informer);
  }

  /**
   * Leases the informer of a declaration and scope. The caller must run the lease; the lease ends when the run ends.
   */
  lease(cached: CachedKind, scope: CacheScope): InformerLease {
    const key = keyOf(cached, scope);
    const shared = this.#find(key, cached) ?? this.#add(key, { cached, scope });
    shared.leases++;
    shared.informer.addIndexes(cached.indexes ?? {});
    return { informer: shared.informer, run: (signal) => this.#run(shared, signal) };
  }

  /** Stops all informers. */
  async [Symbol.asyncDispose](): Promise<void> {
    const all = [...this.#all];
    for (const { stop } of all) stop.abort(new Error('the shared informers are stopping'));
    await Promise.allSettled(all.map(({ running }) => running));
  }

  /** Finds an informer to share; skips informers that have an index of the same name with a different function. */
  #find(key: string, { transform, indexes = {} }: CachedKind): Shared | undefined {
    return [...this.#all].find(
      (each) =>
        each.key === key && each.transform === transform && each.informer.conflictingIndex(indexes) === undefined,
    );
  }

  #add(key: string, { cached, scope }: { readonly cached: CachedKind; readonly scope: CacheScope }): Shared {
    const { client, clock, random, log } = this.#options;
    const { kind, metadataOnly, transform } = cached;
    const informer = new Informer<KubernetesObject>({
      ...cached,
      listWatcher: listWatcher(client, { kind, scope: scope.listWatch, metadataOnly }),
      scope,
      clock,
      random,
      log,
      decoded: this.#decoded,
      availability: this.#availability,
      isShared: true,
      isAbsent: (signal) => this.#served.isAbsent(kind, signal),
    });
    const stop = new AbortController();
    const shared: Shared = { key, transform, informer, stop, leases: 0, running: undefined };
    this.#all.add(shared);
    return shared;
  }

  /** Follows the server until `signal` is aborted; the last user stops the informer. */
  async #run(shared: Shared, signal: AbortSignal): Promise<void> {
    shared.running ??= shared.informer.run(shared.stop.signal);
    try {
      await Promise.race([shared.running, aborted(signal)]);
    } catch (error) {
      // Leases created from now on get a new informer.
      this.#all.delete(shared);
      throw error;
    } finally {
      if (--shared.leases === 0) {
        this.#all.delete(shared);
        shared.stop.abort(new Error(`${shared.informer.kind.kind} is no longer cached`));
      }
    }
    if (shared.leases === 0) await shared.running;
  }
}

function keyOf({ kind, metadataOnly, fields, whenMissing, resyncMs }: CachedKind, { listWatch }: CacheScope): string {
  return JSON.stringify([kindKey(kind), listWatch, metadataOnly ?? false, fields, whenMissing, resyncMs]);
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
