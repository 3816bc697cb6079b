import type { Clock, Kind, KubernetesObject, Random } from '@kubewright/apimachinery';
import type { KubernetesClient } from '@kubewright/client';
import type { CachedKind } from '../cache/cached-kind.ts';
import type { ControllerDefinition } from '../controller/controller-definition.ts';
import type { HealthCheck } from '../health/health-check.ts';
import type { PathHandler } from '../health/probe-server.ts';
import type { LeaderElectionOptions } from '../leader-election/leader-election-options.ts';
import type { Logger } from '../log/logger.ts';
import type { MetricsSecurity } from '../metrics/metrics-security.ts';
import type { Tracer } from '../tracing/tracer.ts';
import type { WebhookDefinition } from '../webhook/webhook-definition.ts';
import type { WebhookServerOptions } from '../webhook/webhook-server.ts';
import type { ControllerDefaults } from './controller-defaults.ts';
import type { ShardingOptions } from './manager-sharding.ts';
import type { Runnable } from './runnable.ts';

/** What a manager is told. */
export interface ManagerOptions {
  readonly controllers?: readonly ControllerDefinition[];
  /** What holds for every controller that does not say otherwise itself. */
  readonly controllerDefaults?: ControllerDefaults;
  readonly runnables?: readonly Runnable[];
  /** @defaultValue one made from `--kubeconfig`'s rules: `KUBECONFIG`, the pod's service account, `~/.kube/config` */
  readonly client?: KubernetesClient;
  /** Path of a kubeconfig file, when no client is given. */
  readonly kubeconfig?: string;
  /** Context in the kubeconfig. @defaultValue its current one */
  readonly context?: string;
  /** Kinds that are only read from the cache. */
  readonly caches?: readonly (CachedKind | Kind<KubernetesObject>)[];
  /** Restricts namespaced caches. @defaultValue all namespaces */
  readonly namespaces?: readonly string[];
  readonly clock?: Clock;
  readonly random?: Random;
  /** @defaultValue JSON lines on stderr; for people when stderr is a terminal */
  readonly log?: Logger;
  /** Address of `/metrics`, such as `:8080`; `'0'` serves none. @defaultValue '0' */
  readonly metricsBindAddress?: string;
  /**
   * Also keeps client-go's histograms of what the manager's own client sends, by verb and host:
   * `rest_client_request_duration_seconds`, `rest_client_request_size_bytes`, `rest_client_response_size_bytes`. Opt-in as in
   * controller-runtime: they are some 40 series for each verb.
   *
   * @defaultValue false
   */
  readonly restClientHistograms?: boolean;
  /**
   * Serves `/metrics` over HTTPS, to those who log in with a token and whom the API server lets. `{}` takes all defaults.
   *
   * @defaultValue HTTP, to anybody. With `runOperator` and `managerFlags`: `{}`, unless the flag `--metrics-secure=false` is given
   */
  readonly metricsSecurity?: MetricsSecurity;
  /** More paths of the metrics server, such as a profiler's; guarded as `/metrics` is. GET and HEAD only. */
  readonly metricsHandlers?: Readonly<Record<string, PathHandler>>;
  /** Made by `validator`, `defaulter`, `converter` and `admissionWebhook`; served before caches start, on every replica. */
  readonly webhooks?: readonly WebhookDefinition[];
  /** Where and with which certificate webhooks are served. @defaultValue port 9443, cert-manager's files */
  readonly webhookServer?: WebhookServerOptions;
  /** Address of `/healthz` and `/readyz`, such as `:8081`; `'0'` serves none. @defaultValue '0' */
  readonly healthProbeBindAddress?: string;
  readonly healthzChecks?: Readonly<Record<string, HealthCheck>>;
  readonly readyzChecks?: Readonly<Record<string, HealthCheck>>;
  /** @defaultValue off */
  readonly leaderElection?: LeaderElectionOptions;
  /**
   * Names the replicas that share the keys of controllers that are `sharded`, such as `{ id: 'databases' }`. All of them work; it
   * goes beside `leaderElection`, which the other controllers may need.
   *
   * @defaultValue off
   */
  readonly sharding?: ShardingOptions;
  /**
   * How long a stop may take in all, in milliseconds; 0 waits for nobody, a negative number for ever. What has not ended
   * then is named in the error that `run()` throws. Keep it below the pod's `terminationGracePeriodSeconds`.
   *
   * @defaultValue 30_000
   */
  readonly gracefulShutdownTimeoutMs?: number;
  /**
   * Ends the manager with an error when caches have not listed within this time, in milliseconds. controller-runtime does so
   * after two minutes; here a kind that is missing is waited for, which the log and `/readyz` say.
   *
   * @defaultValue 0, which is for ever
   */
  readonly cacheSyncTimeoutMs?: number;
  /** Stops the manager. */
  readonly signal?: AbortSignal;
  /** Whether SIGINT and SIGTERM stop the manager. @defaultValue true if no `signal` is given */
  readonly handleSignals?: boolean;
  /**
   * Makes a span of every reconcile, with its API calls below it: what `trace.getTracer('my-operator')` of
   * `@opentelemetry/api` (an optional peer) answers. Where spans go is the program's choice of SDK and exporter. Nothing of it
   * is loaded otherwise.
   *
   * @defaultValue none
   */
  readonly tracer?: Tracer;
  /** Names the controller that holds the event loop for over a second. @defaultValue true */
  readonly watchdog?: boolean;
}
