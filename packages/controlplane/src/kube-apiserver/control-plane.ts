import { type ApiHandler, ApiServer, MutableCatalog } from '@kubewright/apiserver';
import {
  AdmissionWebhooks,
  Aggregation,
  asServer,
  CrdServing,
  HttpsWebhookCaller,
  type ReadObject,
  type SchemaTools,
  ServerMetrics,
  storedObjectReader,
  type WebhookCaller,
  WebhookClient,
} from '@kubewright/apiserver/internal';
import { kubernetesEnvironment, PatternCache } from '@kubewright/schema';
import { protobuf } from '@kubewright/schema/internal';
import { builtinPriorities, memoryServiceAllocator } from '../kinds/index.ts';
import { AccessControl } from './access-control.ts';
import { admissionPlugins, resourceQuotaAdmission } from './admission/index.ts';
import { issueLegacyToken, type LegacyToken, type ServiceAccountTokens } from './authentication/index.ts';
import {
  ApiServices,
  bootstrap,
  defaultServiceCidr,
  publishAuthentication,
  publishServer,
  publishTokenTracking,
} from './bootstrap/index.ts';
import { builtinResources } from './builtin-resources.ts';
import type { ControlPlaneOptions } from './control-plane-options.ts';
import { followServices } from './follow-services.ts';
import { nonResourceHandlers } from './non-resource-handlers.ts';

/** An API server with authentication, authorization, admission and validation, but without sockets and controllers. */
export class ControlPlane implements AsyncDisposable {
  readonly server: ApiServer;
  readonly catalog: MutableCatalog = new MutableCatalog();
  readonly #options: ControlPlaneOptions;
  readonly #serviceCidr: string;
  readonly #read: ReadObject;
  readonly #access: AccessControl;
  readonly #webhooks: AdmissionWebhooks;
  readonly #allocator: ReturnType<typeof memoryServiceAllocator>;
  readonly #crds: CrdServing;
  readonly #aggregation: Aggregation;
  readonly #apiServices: ApiServices;
  readonly #followers: Disposable[] = [];
  #started = false;

  constructor(options: ControlPlaneOptions) {
    const { storage, clock, random, onError, serviceCidr: cidr = defaultServiceCidr } = options;
    this.#options = options;
    this.#serviceCidr = cidr;
    this.#read = storedObjectReader(storage);
    this.#access = new AccessControl(options, { read: this.#read, handle: () => this.server.handle });
    const tools = schemaTools();
    this.#webhooks = new AdmissionWebhooks(tools.environment);
    const client = this.#makeWebhookClient();
    this.#allocator = memoryServiceAllocator({ clock, random, cidr });
    this.#crds = this.#serveCustomResources(tools, client);
    this.#serveBuiltinResources(tools);
    this.#aggregation = this.#aggregate();
    this.server = this.#makeServer(client);
    this.#apiServices = new ApiServices({
      handle: this.server.handle,
      catalog: this.catalog,
      priorities: builtinPriorities,
      onError,
    });
  }

  /** Signs and verifies service account tokens. */
  get tokens(): ServiceAccountTokens {
    return this.#access.tokens;
  }

  #makeWebhookClient(): WebhookClient {
    const { storage, clock, webhookCaller: caller = this.#ownCaller() } = this.#options;
    return WebhookClient.withServices({ caller, clock, storage, read: this.#read });
  }

  /** Signs the token of a Secret of type `kubernetes.io/service-account-token`. */
  issueLegacyToken(token: LegacyToken): string {
    return issueLegacyToken(this.#access.tokens, token);
  }

  /** Creates a webhook caller that is disposed together with the server. */
  #ownCaller(): WebhookCaller {
    const caller = new HttpsWebhookCaller({ dial: this.#options.dial });
    this.#followers.push(caller);
    return caller;
  }

  #serveCustomResources(tools: SchemaTools, client: WebhookClient): CrdServing {
    const { storage, random, onError } = this.#options;
    return new CrdServing({
      storage,
      catalog: this.catalog,
      tools: { ...tools, conversion: { client, random } },
      onRemoved: (prefix) => this.server.watches.close(prefix),
      // Rewriting the waiting definition unchanged is enough, because every write makes a definition claim its names.
      onNamesFreed: (name) => void this.#rewrite(`${crdPath}/${name}`),
      onChanged: () => {
        // The refresh at the end of start() covers changes made during startup.
        if (this.#started) void this.#apiServices.refresh();
      },
      onError,
    });
  }

  #serveBuiltinResources(tools: SchemaTools): void {
    const definitions = builtinResources(this.#options, {
      access: this.#access,
      read: this.#read,
      tools,
      allocator: this.#allocator,
      crds: this.#crds,
      handle: (request) => this.server.handle(request),
    });
    for (const definition of definitions) this.catalog.put(definition);
  }

  #aggregate(): Aggregation {
    const { storage, clock, dial, frontProxy, onError } = this.#options;
    return new Aggregation({
      dial,
      storage,
      read: this.#read,
      clock,
      handle: (request) => this.server.handle(request),
      clientCertificate: async () => frontProxy?.clientCertificate(),
      onError,
    });
  }

  #makeServer(client: WebhookClient): ApiServer {
    const { storage, clock, random, serverAddress, limits, onError } = this.#options;
    const { disabledAdmissionPlugins: disabled = [], podSecurity, processes = false } = this.#options;
    const { networkPolicies = false, auditLog } = this.#options;
    const features = { networkPolicies, auditLog: auditLog !== undefined };
    const { authenticators, authorizer, rbac } = this.#access;
    const { catalog, tokens } = this;
    const read = this.#read;
    const watches = (): ApiServer['watches'] => this.server.watches;
    const metrics = new ServerMetrics({ catalog, storage, watches, others: [this.#webhooks.metrics] });
    return new ApiServer({
      storage,
      clock,
      random,
      catalog,
      authenticators,
      authorizer,
      admissionPlugins: [
        ...admissionPlugins({
          storage,
          read,
          clock,
          random,
          index: rbac,
          authorizer,
          podSecurity,
          processes,
          features,
        }),
        ...this.#webhooks.plugins({ client, clock, random, catalog, read, authorizer }),
        resourceQuotaAdmission({ storage, clock, handle: (request) => this.server.handle(request) }),
      ].filter(({ name }) => !disabled.includes(name)),
      aggregation: this.#aggregation.handler,
      nonResourceHandlers: nonResourceHandlers({
        storage,
        catalog,
        remote: this.#aggregation,
        tokens,
        metrics,
        serverAddress,
        isStarted: () => this.#started,
      }),
      protobuf,
      limits,
      onError,
      audit: metrics.audit,
      auditLog,
    });
  }

  /** Reads the stored objects and creates the bootstrap objects. Resolves once the server can handle requests. */
  async start(): Promise<void> {
    const { storage, clock, random } = this.#options;
    await this.#access.start();
    await this.#webhooks.start(storage);
    await this.#crds.start();
    this.#followers.push(...(await followServices(storage, this.#allocator)));
    await bootstrap({ storage, clock, random, serviceCidr: this.#serviceCidr });
    await this.#aggregation.start();
    this.#started = true;
    await this.#apiServices.refresh();
  }

  /**
   * Publishes the server's address to pods, as the Service `default/kubernetes`, and publishes the data with which aggregated
   * servers authenticate this server. Call it once the server listens.
   */
  async publish(): Promise<void> {
    const { handle } = this.server;
    const { serverAddress, frontProxy } = this.#options;
    await publishServer({ handle, address: serverAddress(), serviceCidr: this.#serviceCidr });
    if (frontProxy) await publishAuthentication(handle, frontProxy);
    await publishTokenTracking(handle, this.#options.clock);
  }

  /** Handles a request from a socket or from this process. */
  get handle(): ApiHandler {
    return this.server.handle;
  }

  /** Returns the time to live, in seconds, of objects that expire, by storage prefix. */
  ttls(): ReadonlyMap<string, number> {
    const all = this.catalog.all().map(({ storagePrefix, ttlSeconds = 0 }) => [storagePrefix, ttlSeconds] as const);
    return new Map(all.filter(([, ttlSeconds]) => ttlSeconds > 0));
  }

  /** Rewrites an object unchanged. Errors are ignored: a deleted object needs no rewrite. */
  async #rewrite(path: string): Promise<void> {
    await asServer(this.server.handle)('PATCH', path, { body: {}, contentType: 'application/merge-patch+json' });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.server[Symbol.asyncDispose]();
    for (const follower of [this.#access, this.#crds, this.#webhooks, this.#aggregation, ...this.#followers]) {
      follower[Symbol.dispose]();
    }
  }
}

const crdPath = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

function schemaTools(): SchemaTools {
  const patterns = new PatternCache();
  return {
    compilePattern: (pattern) => patterns.get(pattern),
    environment: kubernetesEnvironment({ patterns }),
  };
}
