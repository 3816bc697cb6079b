import type { ClusterClient } from '../delegation/cluster-client.ts';
import type { ApiHandler } from '../http/api-request.ts';
import type { ExtensionServerOptions } from './extension-server-options.ts';
import { RunningExtensionServer } from './running-extension-server.ts';

/**
 * An extension API server: serves kinds behind the API server of a cluster, which forwards requests for their group versions
 * (API aggregation). Also a runnable for a manager: `runOperator({ runnables: [server] })`.
 *
 * @example
 * ```ts
 * const wells: ExtensionServer = apiServer({ kinds: [Well], definitions, cluster: client });
 * await wells.start();
 * console.log(wells.url, wells.authority);
 * ```
 */
export interface ExtensionServer extends AsyncDisposable {
  readonly name: string;
  readonly beforeCaches: true;
  readonly needLeaderElection: false;
  /** `https://host:port`, once the server listens; empty before. */
  readonly url: string;
  /** CA of the server's own certificate, in PEM format: the APIService's `caBundle`. Undefined for a certificate from files. */
  readonly authority: string | undefined;
  /** Handles a request without a socket. */
  readonly handle: ApiHandler;
  /**
   * Starts listening. @throws ListenError if the address is not available, DelegationError (KW5107) if the cluster's
   * authentication configuration cannot be read
   */
  start(): Promise<void>;
  /** Serves until `signal` is aborted, then stops. For managers. */
  run(signal: AbortSignal, context: { readonly client: ClusterClient }): Promise<void>;
  ready(signal: AbortSignal): Promise<void>;
}

/**
 * Creates an API server for your own kinds. Stored kinds have all features of custom resources: validation, defaults, versions,
 * CEL rules, status and scale, selectable fields, columns, all patch types, watches, discovery and OpenAPI.
 *
 * By default, the server listens on loopback only. It always uses TLS, and authenticates and authorizes callers through
 * the cluster. `/healthz`, `/readyz` and `/metrics` are served. Excess concurrent requests get a 429 with
 * `Retry-After`.
 *
 * @throws DefinitionError (KW5302) if a kind has no valid definition; ServerOptionsError (KW5303) if a time is not a number from 0 on
 *
 * @example
 * ```ts
 * await using server = apiServer({ kinds: [Well], definitions, storage: new MemoryStorage({ clock: systemClock }), cluster: client });
 * await server.start();
 * ```
 */
export function apiServer(options: ExtensionServerOptions): ExtensionServer {
  return new RunningExtensionServer(options);
}
