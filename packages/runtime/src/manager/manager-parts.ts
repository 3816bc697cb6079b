import { hostname } from 'node:os';
import type { Clock, Random } from '@kubewright/apimachinery';
import { clientFromConfig, type KubernetesClient, loadClientConfig } from '@kubewright/client';
import { asCachedKind, type CachedKind } from '../cache/cached-kind.ts';
import { type ChangedNamespaces, InformerCache } from '../cache/informer-cache.ts';
import { informerPool } from '../cache/shared-informers.ts';
import type { ControllerDefinition } from '../controller/definition/controller-definition.ts';
import { kindFinder } from '../discovery/kind-finder.ts';
import { KindResolver } from '../discovery/kind-resolver.ts';
import { logEvents } from '../log/log-events.ts';
import type { Logger } from '../log/logger.ts';
import type { RuntimeMetrics } from '../metrics/runtime-metrics.ts';
import { includes } from '../permissions/permission.ts';
import { Permissions } from '../permissions/permission-report.ts';
import { requiredPermissions } from '../permissions/required-permissions.ts';
import { UsedPermissions } from '../permissions/used-permissions.ts';
import { ApiEventRecorder } from '../recorder/api-event-recorder.ts';
import type { ManagerOptions } from './manager-options.ts';

/** The parts that a manager's controllers share, available once there is a client. */
export interface ManagerParts {
  readonly client: KubernetesClient;
  readonly cache: InformerCache;
  /** Creates another cache with the declarations of the given controllers, for controllers that are added later. */
  readonly makeCache: (
    controllers: readonly ControllerDefinition[],
    changedNamespaces?: ChangedNamespaces,
  ) => InformerCache;
  readonly recorder: ApiEventRecorder;
  readonly kinds: KindResolver;
  readonly permissions: Permissions;
  /** Adds the permissions that a controller added later needs. */
  readonly require: (controller: ControllerDefinition) => void;
}

/** Options for creating the shared parts. */
export interface PartsOptions {
  readonly options: ManagerOptions;
  readonly controllers: readonly ControllerDefinition[];
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
}

/** Creates the shared parts around a client, without starting them. */
export function makeParts(plain: KubernetesClient, from: PartsOptions): ManagerParts {
  const { options, controllers, clock, random, log } = from;
  const { namespaces, caches = [] } = options;
  const { discovery } = plain;
  const used = new UsedPermissions();
  const required = [
    ...requiredPermissions(controllers, {
      leaderElection: options.leaderElection !== undefined,
      sharding: options.sharding !== undefined,
    }),
  ];
  const require = (controller: ControllerDefinition): void => {
    const others = requiredPermissions([controller]).filter((each) => !required.some((one) => includes(each, one)));
    required.push(...others);
  };
  const makeCache: ManagerParts['makeCache'] = (of, changedNamespaces) => {
    const made = new InformerCache({
      client: plain.intercepted(kindFinder({ discovery, clock, explain: false }), used.interceptor),
      clock,
      random,
      log: log.named('cache'),
      changedNamespaces,
      ownManagers: new Set(of.map((each) => each.fieldManager ?? each.name)),
      namespaces,
      informers: options.informers && informerPool(options.informers),
    });
    const own = of === controllers ? caches.map(asCachedKind) : [];
    for (const each of declarations(own, of)) made.declare(each);
    return made;
  };
  const cache = makeCache(controllers);
  // Cache reads are never behind writes made through this client.
  const client = cache.following(plain.intercepted(kindFinder({ discovery, clock, explain: true }), used.interceptor));
  const recorder = new ApiEventRecorder({ client, clock, random, log: log.named('events'), host: hostname() });
  const permissions = new Permissions({ required, used });
  return { client, cache, makeCache, recorder, permissions, require, kinds: new KindResolver({ cache, client }) };
}

/**
 * Creates a client for the first of these that exists: an explicit kubeconfig, `KUBECONFIG`, the pod's service account,
 * `~/.kube/config`.
 * @throws ConfigError if none of them exists.
 */
export async function loadClient(from: PartsOptions, metrics: RuntimeMetrics | undefined): Promise<KubernetesClient> {
  const { options, clock, random, log } = from;
  const { kubeconfig, context } = options;
  const config = await loadClientConfig({
    kubeconfig,
    context,
    onRenewalFailure: (error) =>
      log.error('cannot renew the client credentials; the previous ones stay in use', {
        event: logEvents.credentialsRenewalFailed,
        error,
      }),
  });
  log.info('loaded the client configuration', {
    event: logEvents.configLoaded,
    source: config.source,
    server: config.server,
  });
  const interceptors = metrics ? [metrics.clientInterceptor(new URL(config.server).host)] : [];
  const onWarning: NonNullable<Parameters<typeof clientFromConfig>[1]>['onWarning'] = (warning) =>
    log.warn('warning from the API server', { event: logEvents.apiServerWarning, warning: warning.text });
  return clientFromConfig(config, { clock, random, interceptors, onWarning });
}

/**
 * Declares all cached kinds before any part starts, so that a follower's caches are warm when it is elected.
 * Declarations with indexes come first, because declarations without indexes can then share their informers; the
 * reverse is not possible.
 */
function declarations(
  caches: readonly CachedKind[],
  controllers: readonly ControllerDefinition[],
): readonly CachedKind[] {
  const all = [...caches];
  for (const { watches, caches: more = [] } of controllers) {
    all.push(...watches.map((watch) => watch.cached), ...more.map(asCachedKind));
  }
  const indexes = (each: CachedKind): number => Object.keys(each.indexes ?? {}).length;
  return all.sort((a, b) => indexes(b) - indexes(a));
}
