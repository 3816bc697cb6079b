import {
  discoveryHandler,
  type HealthCheck,
  healthHandler,
  type MutableCatalog,
  type NonResourceHandler,
  openApiHandler,
  rootHandler,
  type Storage,
  versionHandler,
} from '@kubewright/apiserver';
import type { Aggregation, ServerMetrics } from '@kubewright/apiserver/internal';
import { protobuf } from '@kubewright/schema/internal';
import { builtinPriorities } from '../kinds/index.ts';
import { openIdHandler, type ServiceAccountTokens } from './authentication/index.ts';

/** The parts of the API server that non-resource paths expose. */
export interface NonResourceParts {
  readonly storage: Storage;
  readonly catalog: MutableCatalog;
  /** Aggregated APIs, which other servers serve. */
  readonly remote: Aggregation;
  readonly tokens: ServiceAccountTokens;
  readonly metrics: ServerMetrics;
  /** Returns the `host:port` under which clients reach the server. */
  readonly serverAddress: () => string;
  /** True once the bootstrap objects exist. */
  readonly isStarted: () => boolean;
}

/** Returns the handlers of non-resource paths: health, version, discovery, OpenAPI, metrics and the token issuer. */
export function nonResourceHandlers(parts: NonResourceParts): readonly NonResourceHandler[] {
  const { storage, catalog, remote, tokens, metrics, serverAddress, isStarted } = parts;
  const hasStarted = (): string | undefined => (isStarted() ? undefined : 'not finished');
  // Reads the revision, which succeeds only if the storage responds.
  const reachesStorage = async (): Promise<undefined> => void (await storage.revision());
  const checks: readonly HealthCheck[] = [
    { name: 'ping', check: () => undefined },
    { name: 'log', check: () => undefined },
    { name: 'etcd', check: reachesStorage },
    { name: 'etcd-readiness', for: 'readyz', check: reachesStorage },
    { name: 'informer-sync', for: 'readyz', check: hasStarted },
    ...startChecks.map((name) => ({ name, check: hasStarted })),
    { name: 'shutdown', for: 'readyz', check: () => undefined },
  ];
  return [
    healthHandler({ checks }),
    versionHandler(),
    rootHandler({ catalog, remote, paths }),
    openIdHandler({ tokens, serverAddress }),
    discoveryHandler({ catalog, remote, serverAddress, priorities: builtinPriorities, protobuf }),
    openApiHandler({ catalog, remote }),
    metrics.handler,
  ];
}

/**
 * The names of upstream's health checks for startup steps, in upstream's order. Omits checks for parts that this server
 * does not have: loopback serving certificate, priority and fairness, object count tracker, identity leases and peers.
 */
const startChecks: readonly string[] = [
  ...[
    'start-apiserver-admission-initializer',
    'generic-apiserver-start-informers',
    'start-apiextensions-informers',
    'start-apiextensions-controllers',
    'crd-informer-synced',
    'start-system-namespaces-controller',
    'start-cluster-authentication-info-controller',
    'storage-readiness',
    'start-legacy-token-tracking-controller',
    'start-service-ip-repair-controllers',
    'rbac/bootstrap-roles',
    'scheduling/bootstrap-system-priority-classes',
    'bootstrap-controller',
    'start-kubernetes-service-cidr-controller',
    'start-kube-aggregator-informers',
    'apiservice-status-local-available-controller',
    'apiservice-status-remote-available-controller',
    'apiservice-registration-controller',
    'apiservice-discovery-controller',
    'kube-apiserver-autoregistration',
  ].map((hook) => `poststarthook/${hook}`),
  'autoregister-completion',
  'poststarthook/apiservice-openapi-controller',
  'poststarthook/apiservice-openapiv3-controller',
];

/** Paths listed under `/` in addition to the paths of API groups. */
const paths = [
  '/.well-known/openid-configuration',
  '/healthz',
  '/livez',
  '/metrics',
  '/openapi/v2',
  '/openapi/v3',
  '/openapi/v3/',
  '/openid/v1/jwks',
  '/readyz',
  '/version',
];
