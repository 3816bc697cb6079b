import type { Clock, Kind, KubernetesObject, Random } from '@kubewright/apimachinery';
import type { Logger } from '../log/logger.ts';
import type { ListWatcher } from '../reflector/list-watcher.ts';
import type { ServerReach } from '../reflector/server-reach.ts';
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
  /** Objects to list and watch. @defaultValue all of the kind */
  readonly scope?: CacheScope;
  readonly ownManagers?: ReadonlySet<string>;
  readonly indexes?: Readonly<Record<string, IndexFunc<T>>>;
  readonly decoded?: DecodedObjects;
  readonly useWatchList?: boolean;
  /** Logs an unreachable server once for all informers that share it. */
  readonly reach?: ServerReach;
  /** Reports whether discovery confirms that the kind is not served; without it, a 404 never empties the store. */
  readonly isAbsent?: (signal: AbortSignal) => Promise<boolean>;
}
