import type { Clock, Kind, KubernetesObject, Random } from '@kubewright/apimachinery';
import type { KubernetesClient } from '@kubewright/client';
import type { CachedKind } from '../cache/cached-kind.ts';
import type { SharedInformers } from '../cache/shared-informers.ts';
import type { ControllerDefinition } from '../controller/definition/controller-definition.ts';
import type { HealthCheck } from '../health/checks-handler.ts';
import type { HttpHandler } from '../health/probe-server.ts';
import type { LeaderElectionOptions } from '../leader-election/leader-election-options.ts';
import type { Logger } from '../log/logger.ts';
import type { MetricsSecurity } from '../metrics/metrics-security.ts';
import type { Runnable } from '../runnable/runnable.ts';
import type { Tracer } from '../tracing/tracer.ts';
import type { WebhookDefinition } from '../webhook/webhook-definition.ts';
import type { WebhookServerOptions } from '../webhook/webhook-server.ts';
import type { ControllerDefaults } from './controller-defaults.ts';
import type { ShardingOptions } from './manager-sharding.ts';

/**
 * Options for a `Manager`.
 *
 * @example
 * ```ts
 * const options: ManagerOptions = { client, controllers: [], namespaces: ['team-a'] };
 * ```
 */
export interface ManagerOptions {
  readonly controllers?: readonly ControllerDefinition[];
  /** Defaults for settings that a controller leaves unset. */
  readonly controllerDefaults?: ControllerDefaults;
  readonly runnables?: readonly Runnable[];
  /**
   * Client for the cluster. @defaultValue a client for the first of these that exists: `kubeconfig`, `KUBECONFIG`, the pod's service
   * account, `~/.kube/config`
   */
  readonly client?: KubernetesClient;
  /** Path of a kubeconfig file, used if no client is given. */
  readonly kubeconfig?: string;
  /** Context in the kubeconfig. @defaultValue the kubeconfig's current context */
  readonly context?: string;
  /** Kinds that are only read from the cache. */
  readonly caches?: readonly (CachedKind | Kind<KubernetesObject>)[];
  /** Restricts namespaced caches. @defaultValue all namespaces */
  readonly namespaces?: readonly string[];
  /**
   * Informers shared with other managers of this process; their client performs the lists and watches.
   * @internal
   */
  readonly informers?: SharedInformers;
  readonly clock?: Clock;
  readonly random?: Random;
  /**
   * Receives the log lines of the manager and its controllers. @defaultValue JSON lines on stderr; readable lines if stderr is a
   * terminal
   */
  readonly log?: Logger;
  /** Address of `/metrics`, such as `:8080`; `'0'` disables the server. @defaultValue '0' */
  readonly metricsBindAddress?: string;
  /**
   * True to keep client-go's request histograms for the manager's own client, by verb and host:
   * `rest_client_request_duration_seconds`, `rest_client_request_size_bytes`, `rest_client_response_size_bytes`. Opt-in
   * as in controller-runtime: each verb adds some 40 series.
   * @defaultValue false
   */
  readonly restClientHistograms?: boolean;
  /**
   * Serves `/metrics` over HTTPS, to clients that authenticate with a token and are authorized by the API server. `{}` uses all
   * defaults.
   * @defaultValue HTTP, open to anyone. With `runOperator` and `managerFlags`: `{}`, unless the flag `--metrics-secure=false` is
   * given
   */
  readonly metricsSecurity?: MetricsSecurity;
  /** Additional paths of the metrics server, such as a profiler; guarded like `/metrics`. GET and HEAD only. */
  readonly metricsHandlers?: Readonly<Record<string, HttpHandler>>;
  /**
   * Webhooks, created by `validator`, `defaulter`, `converter` or `admissionWebhook`; served on every replica, before
   * caches start.
   */
  readonly webhooks?: readonly WebhookDefinition[];
  /** Address and certificate of the webhook server. @defaultValue port 9443, cert-manager's files */
  readonly webhookServer?: WebhookServerOptions;
  /** Address of `/healthz` and `/readyz`, such as `:8081`; `'0'` disables the server. @defaultValue '0' */
  readonly healthProbeBindAddress?: string;
  readonly healthzChecks?: Readonly<Record<string, HealthCheck>>;
  readonly readyzChecks?: Readonly<Record<string, HealthCheck>>;
  /** @defaultValue off */
  readonly leaderElection?: LeaderElectionOptions;
  /**
   * Identifies the replicas that share the keys of `sharded` controllers, such as `{ id: 'databases' }`. All of these
   * replicas work at the same time. Can be combined with `leaderElection`, which other controllers may need.
   * @defaultValue off
   */
  readonly sharding?: ShardingOptions;
  /**
   * Time limit for a complete stop, in milliseconds; 0 does not wait, a negative number waits forever. Parts that are
   * still running then are named in the error that `run()` throws. Keep it below the pod's
   * `terminationGracePeriodSeconds`.
   * @defaultValue 30_000
   */
  readonly gracefulShutdownTimeoutMs?: number;
  /**
   * Ends the manager with an error if caches have not listed within this time, in milliseconds. controller-runtime does
   * so after two minutes. By default, this manager waits, and reports missing kinds in the log and in `/readyz`.
   * @defaultValue 0, which waits forever
   */
  readonly cacheSyncTimeoutMs?: number;
  /** Stops the manager. */
  readonly signal?: AbortSignal;
  /** True if SIGINT and SIGTERM stop the manager. @defaultValue true if no `signal` is given */
  readonly handleSignals?: boolean;
  /**
   * Creates a span for every reconcile, with its API calls as children. Pass the result of `trace.getTracer('my-operator')` from
   * `@opentelemetry/api` (an optional peer). The program's SDK and exporter decide where spans are sent. Without a tracer, no
   * tracing code is loaded.
   * @defaultValue none
   */
  readonly tracer?: Tracer;
  /** True to log the controller that blocks the event loop for over a second. @defaultValue true */
  readonly watchdog?: boolean;
}
