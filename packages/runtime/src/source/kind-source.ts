import type { Kind, KubernetesObject } from '@kubewright/apimachinery';
import type { EventHandler, HandlerContext } from '../handler/event-handler.ts';
import { type Source, type SourceStart, type Watch, type WatchSourceOptions, watch } from './source.ts';

/** Where a {@link kindSource} watches: a cluster of its own. */
export interface WatchedCluster {
  /** Tells a handler of a kind's events; resolves when what is there was told. */
  follow(watched: Watch, to: { readonly context: HandlerContext; readonly start: SourceStart }): Promise<void>;
  readonly name: string;
}

/**
 * Watches a kind in another cluster than the manager's; what {@link watch} is for the manager's own.
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
