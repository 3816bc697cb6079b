import type { Kind, KubernetesObject } from '@kubewright/apimachinery';
import type { DiscoveryClient, ListOptions, ResourceClient, TransportResponse, WatchOptions } from '@kubewright/client';

/** Body of a response, streamed as it arrives. */
export interface ByteBody {
  readonly body: TransportResponse['body'];
}

/** The two calls that a reflector makes; selector and namespace are already bound. */
export interface ListWatcher {
  list(options: ListOptions): Promise<ByteBody>;
  watch(options: WatchOptions): Promise<ByteBody>;
}

/** The part of a kind that is listed and watched. */
export interface ListWatchScope {
  readonly namespace?: string | undefined;
  readonly labelSelector?: string | undefined;
  readonly fieldSelector?: string | undefined;
}

/** The part of a client that reflectors use. */
export interface ListWatchClient {
  /** Discovery client, used to check whether a kind whose list returns 404 has been removed. */
  readonly discovery: Pick<DiscoveryClient, 'groups' | 'invalidate'>;
  resource<T extends KubernetesObject>(kind: Kind<T>): Pick<ResourceClient<T>, 'listStream' | 'watchStream'>;
  metadata(kind: Kind<KubernetesObject>): Pick<ResourceClient<KubernetesObject>, 'listStream' | 'watchStream'>;
}

/** Lists and watches one kind in one scope with a client. */
export function listWatcher(
  client: ListWatchClient,
  options: {
    readonly kind: Kind<KubernetesObject>;
    readonly scope: ListWatchScope;
    readonly metadataOnly?: boolean | undefined;
  },
): ListWatcher {
  const resource = options.metadataOnly ? client.metadata(options.kind) : client.resource(options.kind);
  return {
    list: (list) => resource.listStream({ ...options.scope, ...list }),
    watch: (watch) => resource.watchStream({ ...options.scope, ...watch }),
  };
}
