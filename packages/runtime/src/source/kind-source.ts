import type { Kind, KubernetesObject } from '@kubewright/apimachinery';
import type { EventHandler, HandlerContext } from '../handler/event-handler.ts';
import { type Source, type SourceStart, type Watch, type WatchSourceOptions, watch } from './source.ts';

/** The cluster that a {@link kindSource} watches. */
export interface WatchedCluster {
  /** Passes the events of a kind to a handler; resolves once all existing objects have been passed. */
  follow(watched: Watch, to: { readonly context: HandlerContext; readonly start: SourceStart }): Promise<void>;
  readonly name: string;
}

/**
 * Watches a kind in a cluster other than the manager's; the counterpart of {@link watch}.
 *
 * @example
 * ```ts
 * const remote = new Cluster({ name: 'remote', client });
 * const mirror = requestController({
 *   name: 'mirror',
 *   sources: [kindSource(remote, { kind: ConfigMap, handler: enqueueForObject() })],
 *   reconcile: async (request, ctx) => { await ctx.apply(copyOf(await remote.get(ConfigMap, request))); },
 * });
 * await new Manager({ controllers: [mirror], runnables: [remote] }).run();
 * ```
 */
export function kindSource<T extends KubernetesObject>(
  cluster: WatchedCluster,
  options: WatchSourceOptions<T> & { readonly kind: Kind<T>; readonly handler: EventHandler<T> },
): Source {
  const { kind, handler, ...rest } = options;
  const watched = watch(kind, handler, rest as WatchSourceOptions<T>);
  return {
    name: `${kind.kind} of ${cluster.name}`,
    start: (context, start) => cluster.follow(watched, { context, start }),
  };
}
