import type { Clock, Kind, KubernetesObject, Random } from '@kubewright/apimachinery';
import type { Logger } from '../log/logger.ts';
import type { ListWatcher } from '../reflector/list-watcher.ts';
import type { ServerAvailability } from '../reflector/server-availability.ts';
import type { CacheScope } from './cache-scope.ts';
import type { CachedKind, CacheSelectors, IndexFunc } from './cached-kind.ts';
import type { DecodedObjects } from './decoded-objects.ts';

/** Options for an `Informer`. */
export interface InformerOptions<T> extends Omit<CachedKind, 'kind' | 'indexes' | 'namespaces' | keyof CacheSelectors> {
  readonly kind: Kind<KubernetesObject>;
  readonly listWatcher: ListWatcher;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  /** Objects to list and watch. @defaultValue all objects of the kind */
  readonly scope?: CacheScope | undefined;
  readonly ownManagers?: ReadonlySet<string> | undefined;
  readonly indexes?: Readonly<Record<string, IndexFunc<T>>> | undefined;
  readonly decoded?: DecodedObjects | undefined;
  readonly useWatchList?: boolean | undefined;
  /** True if managers with different permissions share the informer. @defaultValue false */
  readonly isShared?: boolean | undefined;
  /** Logs an unreachable server once for all informers that share this object. */
  readonly availability?: ServerAvailability | undefined;
  /**
   * Reports whether discovery confirms that the kind is not served. Without this function, a 404 never empties the
   * store.
   */
  readonly isAbsent?: ((signal: AbortSignal) => Promise<boolean>) | undefined;
}
