import type { Clock } from '@kubewright/apimachinery';
import type { Storage } from './storage.ts';

/** Options for {@link openEtcdStorage}. */
export interface OpenEtcdOptions {
  /** URLs of etcd's servers: `http://127.0.0.1:2379`. */
  readonly servers: readonly string[];
  /** Certificate and key files for `https`. @defaultValue Node's CA certificates, no client certificate */
  readonly tls?: { readonly caFile?: string; readonly certFile?: string; readonly keyFile?: string } | undefined;
  readonly clock: Clock;
  /** Prepended to every key, so that several stores can share an etcd. @defaultValue '' */
  readonly keyPrefix?: string | undefined;
  /** Time for which history is kept, in milliseconds; `Infinity` leaves compaction to other servers. @defaultValue 5 minutes */
  readonly historyMs?: number | undefined;
  /** Converts values that kube-apiserver stored as protobuf to JSON. @defaultValue returns the values unchanged */
  readonly decode?: ((value: Uint8Array) => Uint8Array) | undefined;
  /** Called with errors of watches and of compaction; both continue after an error. */
  readonly onError?: ((error: unknown) => void) | undefined;
}

/**
 * Opens a {@link Storage} in etcd, which several servers can share. Lists and watches are served from memory, through one etcd
 * watch per resource. Needs the packages `@grpc/grpc-js` and `@grpc/proto-loader`.
 *
 * @throws EtcdError (KW5013) if etcd does not respond or the packages are missing.
 *
 * @example
 * ```ts
 * await using storage = await openEtcdStorage({ servers: ['http://127.0.0.1:2379'], clock: systemClock });
 * const { objects } = await storage.list({ prefix: '/registry/' });
 * ```
 */
export async function openEtcdStorage(options: OpenEtcdOptions): Promise<Storage> {
  const { EtcdStorage } = await import('./etcd/etcd-storage.ts');
  const { WatchCache } = await import('./cache/watch-cache.ts');
  const { clock, onError } = options;
  return new WatchCache(await EtcdStorage.connect(options), { clock, onError, onWatcherFault: onError });
}
