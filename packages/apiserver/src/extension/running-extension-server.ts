import { type Clock, sleep, systemClock, systemRandom } from '@kubewright/apimachinery';
import { kubernetesEnvironment, PatternCache } from '@kubewright/schema';
import type { AdmissionPlugin } from '../admission/admission-plugin.ts';
import { checkNamespaces } from '../admission/namespace-lifecycle.ts';
import { ApiServer } from '../api-server.ts';
import type { NonResourceHandler } from '../api-server-options.ts';
import type { Authenticator } from '../authentication/authenticator.ts';
import { certificateAuthenticator } from '../authentication/certificate-authenticator.ts';
import type { Authorizer } from '../authorization/authorizer.ts';
import { superuserAuthorizer } from '../authorization/union-authorizer.ts';
import type { ClusterClient } from '../delegation/cluster-client.ts';
import { ClusterNamespaces } from '../delegation/cluster-namespaces.ts';
import { DelegatedAccess } from '../delegation/delegated-access.ts';
import { UserCertificateAuthenticator } from '../delegation/request-header-authenticator.ts';
import { discoveryHandler } from '../discovery/discovery-handler.ts';
import { rootHandler } from '../discovery/root-handler.ts';
import { healthHandler } from '../health/health-handler.ts';
import { versionHandler } from '../health/version-handler.ts';
import type { ApiHandler } from '../http/api-request.ts';
import { ServerMetrics } from '../metrics/metrics-handler.ts';
import { openApiHandler } from '../openapi/open-api-handler.ts';
import { MutableCatalog } from '../registry/resource-catalog.ts';
import { MemoryStorage } from '../storage/memory-storage.ts';
import type { Storage } from '../storage/storage.ts';
import { checkTimes } from './check-times.ts';
import type { ExtensionServer } from './extension-server.ts';
import type { ExtensionServerOptions } from './extension-server-options.ts';
import { printError } from './print-error.ts';
import { SecureListener } from './secure-listener.ts';
import { servedKinds } from './served-kinds.ts';

/** Paths listed under `/` in addition to those of API groups. */
const paths = ['/healthz', '/livez', '/metrics', '/openapi/v2', '/openapi/v3', '/openapi/v3/', '/readyz', '/version'];

/** Implements {@link ExtensionServer} with an {@link ApiServer}. */
export class RunningExtensionServer implements ExtensionServer {
  readonly name = 'apiserver';
  /** Starts before the caches, because the operator's controllers may watch this server's kinds. */
  readonly beforeCaches = true;
  /** All replicas serve requests, not only the leader. */
  readonly needLeaderElection = false;
  readonly #options: ExtensionServerOptions;
  readonly #clock: Clock;
  readonly #storage: Storage;
  readonly #server: ApiServer;
  readonly #metrics: ServerMetrics;
  readonly #listening: Promise<void>;
  #reachListening: () => void = () => undefined;
  #access: DelegatedAccess | undefined;
  #namespaces: ClusterNamespaces | undefined;
  #listener: SecureListener | undefined;
  #isStopping = false;
  #stopped: Promise<void> | undefined;

  constructor(options: ExtensionServerOptions) {
    checkTimes(options);
    const { clock = systemClock, random = systemRandom, storage = new MemoryStorage({ clock }) } = options;
    this.#options = options;
    this.#clock = clock;
    this.#storage = storage;
    this.#listening = new Promise((resolve) => {
      this.#reachListening = resolve;
    });
    const catalog = catalogOf(options);
    const watches = (): ApiServer['watches'] => this.#server.watches;
    this.#metrics = new ServerMetrics({ catalog, storage, watches });
    this.#server = new ApiServer({
      storage,
      clock,
      random,
      catalog,
      authenticators: [
        inProcess,
        { authenticate: async (request) => this.#access?.authenticate(request) },
        ...(options.clientCa === undefined ? [] : [new UserCertificateAuthenticator({ clientCa: options.clientCa })]),
        ...(options.authenticators ?? []),
      ],
      authorizer: { authorize: (attributes) => this.#authorizer.authorize(attributes) },
      admissionPlugins: [this.#namespaceLifecycle(), ...(options.admissionPlugins ?? [])],
      nonResourceHandlers: this.#otherPaths(catalog),
      limits: options.limits,
      onError: this.#onError,
      audit: this.#metrics.audit,
    });
  }

  get url(): string {
    return this.#listener?.url ?? '';
  }

  get authority(): string | undefined {
    return this.#listener?.authority;
  }

  get handle(): ApiHandler {
    return this.#server.handle;
  }

  start(): Promise<void> {
    return this.#start(this.#options.cluster);
  }

  async run(signal: AbortSignal, { client }: { readonly client: ClusterClient }): Promise<void> {
    try {
      await this.#start(this.#options.cluster ?? client);
      await aborted(signal);
    } finally {
      await this[Symbol.asyncDispose]();
    }
  }

  async ready(signal: AbortSignal): Promise<void> {
    await Promise.race([this.#listening, aborted(signal)]);
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.#stopped ??= this.#stop();
    return this.#stopped;
  }

  async #start(cluster: ClusterClient | undefined): Promise<void> {
    const { host, port = 0, certificates, hostnames = [] } = this.#options;
    const clock = this.#clock;
    if (cluster !== undefined) {
      const onChanged = (): void => this.#listener?.setClientAuthorities(this.#clientAuthorities);
      this.#namespaces = new ClusterNamespaces(cluster, { clock });
      this.#access = new DelegatedAccess(cluster, { clock, onError: this.#onError, onChanged });
      await this.#access.start();
    }
    const handle = this.#metrics.counting(this.#server.handle);
    this.#listener = await SecureListener.start(
      { handle, host, port, certificates, hostnames, clock, onError: this.#onError },
      { clientAuthorities: this.#clientAuthorities },
    );
    this.#reachListening();
  }

  async #stop(): Promise<void> {
    const { shutdownDelayMs: ms = 0, graceMs } = this.#options;
    this.#isStopping = true;
    if (ms > 0 && this.#listener !== undefined) await sleep(this.#clock, { ms });
    await this.#listener?.close(graceMs);
    this.#access?.[Symbol.dispose]();
    await this.#server[Symbol.asyncDispose]();
    await this.#storage[Symbol.asyncDispose]();
  }

  /** Returns the plugin that checks namespaces once the cluster is known. */
  #namespaceLifecycle(): AdmissionPlugin {
    return checkNamespaces(async (namespace) => (this.#namespaces ? this.#namespaces.phaseOf(namespace) : 'Active'));
  }

  get #clientAuthorities(): string {
    return [this.#access?.authorities, this.#options.clientCa].filter(Boolean).join('\n');
  }

  get #authorizer(): Authorizer {
    return this.#options.authorizer ?? this.#access?.authorizer ?? superuserAuthorizer;
  }

  readonly #onError = (error: unknown): void => (this.#options.onError ?? printError)(error);

  #otherPaths(catalog: MutableCatalog): readonly NonResourceHandler[] {
    const serverAddress = (): string => (this.url === '' ? '' : new URL(this.url).host);
    return [
      healthHandler({
        checks: [
          { name: 'ping', check: () => undefined },
          { name: 'storage', check: () => this.#checkStorage() },
          { name: 'shutdown', for: 'readyz', check: () => (this.#isStopping ? 'the server is stopping' : undefined) },
        ],
      }),
      versionHandler(),
      rootHandler({ catalog, paths }),
      discoveryHandler({ catalog, serverAddress }),
      openApiHandler({ catalog }),
      this.#metrics.handler,
    ];
  }

  async #checkStorage(): Promise<undefined> {
    await this.#storage.revision();
  }
}

/** Trusts callers inside this process to name their own identity. */
const inProcess: Authenticator = {
  authenticate: async (request) =>
    request.connection.protocol === 'in-process' ? certificateAuthenticator.authenticate(request) : undefined,
};

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

function catalogOf({ kinds, definitions, conversions = [] }: ExtensionServerOptions): MutableCatalog {
  const patterns = new PatternCache();
  const compilePattern = (pattern: string): ReturnType<PatternCache['get']> => patterns.get(pattern);
  const tools = { compilePattern, environment: kubernetesEnvironment({ patterns }) };
  return new MutableCatalog(servedKinds({ kinds, definitions: definitions.kinds, conversions, tools }));
}
