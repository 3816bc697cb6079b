import { createPrivateKey } from 'node:crypto';
import type { Clock, Random } from '@kubewright/apimachinery';
import type { KeyPair } from '@kubewright/apimachinery/internal';
import {
  type ApiHandler,
  ApiServer,
  type ApiServerOptions,
  type Authorizer,
  type ConnectSubresource,
  certificateAuthenticator,
  discoveryHandler,
  type HealthCheck,
  healthHandler,
  MutableCatalog,
  type NonResourceHandler,
  openApiHandler,
  rootHandler,
  StaticTokenAuthenticator,
  type Storage,
  superuserAuthorizer,
  UnionAuthorizer,
  type UserInfo,
  versionHandler,
} from '@kubewright/apiserver';
import {
  AdmissionWebhooks,
  Aggregation,
  asServer,
  CrdServing,
  crdDefinition,
  HttpsWebhookCaller,
  type ReadObject,
  type SchemaTools,
  ServerMetrics,
  storedObjectReader,
  type WebhookCaller,
  WebhookClient,
} from '@kubewright/apiserver/internal';
import { kubernetesEnvironment, PatternCache } from '@kubewright/schema';
import { decodeProtobuf } from '@kubewright/schema/internal';
import {
  builtinDefinitions,
  builtinPriorities,
  EventExpiry,
  memoryServiceAllocator,
  podBindings,
} from '../kinds/index.ts';
import { admissionPlugins } from './admission/index.ts';
import {
  authenticationReviews,
  openIdHandler,
  ServiceAccountAuthenticator,
  ServiceAccountTokens,
  tokenRequest,
} from './authentication/index.ts';
import { accessReviews, NodeAuthorizer, NodeGraph, RbacAuthorizer, RbacIndex } from './authorization/index.ts';
import {
  ApiServices,
  type AuthenticationTrust,
  bootstrap,
  publishAuthentication,
  publishServer,
} from './bootstrap/index.ts';
import { followServices } from './follow-services.ts';

/** Options for {@link ControlPlane}. */
export interface ControlPlaneOptions {
  readonly storage: Storage;
  readonly clock: Clock;
  readonly random: Random;
  /** Private key (PEM, PKCS #8) that signs service-account tokens. */
  readonly serviceAccountKey: string;
  /** Static bearer tokens. */
  readonly tokens?: ReadonlyMap<string, UserInfo> | undefined;
  /** Subresources that connect to nodes, such as `pods/log` and `pods/exec`. */
  readonly connect?: ReadonlyMap<string, ConnectSubresource> | undefined;
  /** Allows loopback addresses as endpoints, which pods of the process driver use. @defaultValue false */
  readonly allowLoopbackEndpoints?: boolean | undefined;
  /** Identity used when the server proxies requests to other servers. @defaultValue none */
  readonly frontProxy?: FrontProxy | undefined;
  /** Limits on requests. */
  readonly limits?: ApiServerOptions['limits'];
  /** Calls webhooks. @defaultValue over HTTPS */
  readonly webhookCaller?: WebhookCaller | undefined;
  /** Returns `host:port` under which clients reach the server, for discovery. */
  readonly serverAddress: () => string;
  /** Called with the server's own internal errors. */
  readonly onError: (error: unknown) => void;
}

/** Data by which aggregated API servers recognize this server. */
export interface FrontProxy extends AuthenticationTrust {
  clientCertificate(): Promise<KeyPair>;
}

/** An API server with authentication, authorization, admission and validation. It has no sockets and no controllers. */
export class ControlPlane implements AsyncDisposable {
  readonly server: ApiServer;
  readonly catalog: MutableCatalog = new MutableCatalog();
  readonly tokens: ServiceAccountTokens;
  readonly #options: ControlPlaneOptions;
  readonly #read: ReadObject;
  readonly #rbac = new RbacIndex();
  readonly #nodes = new NodeGraph();
  readonly #crds: CrdServing;
  readonly #events: EventExpiry;
  readonly #webhooks: AdmissionWebhooks;
  readonly #followers: Disposable[] = [];
  #started = false;
  readonly #apiServices: ApiServices;
  readonly #aggregation: Aggregation;
  readonly #followServices: () => Promise<Disposable>;

  constructor(options: ControlPlaneOptions) {
    const { storage, clock, random, onError, serviceAccountKey } = options;
    this.#options = options;
    this.#read = storedObjectReader(storage);
    this.#events = new EventExpiry({ storage, clock, onError });
    this.tokens = new ServiceAccountTokens({ signingKey: createPrivateKey(serviceAccountKey), clock, random });
    const tools = schemaTools();
    this.#webhooks = new AdmissionWebhooks(tools.environment);
    const client = this.#makeWebhookClient();
    const identity = this.#makeIdentity();
    const allocator = memoryServiceAllocator({ clock, random });
    this.#followServices = () => followServices(storage, allocator);
    this.#crds = this.#serveCustomResources(tools, client);
    this.#putBuiltins({ tools, identity, allocator });
    this.#aggregation = this.#aggregate();
    this.server = this.#makeServer(identity, client);
    this.#apiServices = new ApiServices({
      handle: this.server.handle,
      catalog: this.catalog,
      priorities: builtinPriorities,
      onError,
    });
  }

  #makeWebhookClient(): WebhookClient {
    const { storage, clock, webhookCaller: caller = this.#ownCaller() } = this.#options;
    return WebhookClient.withServices({ caller, clock, storage, read: this.#read });
  }

  #makeIdentity(): Identity {
    return {
      accounts: new ServiceAccountAuthenticator({ tokens: this.tokens, read: this.#read }),
      authorizer: new UnionAuthorizer([
        superuserAuthorizer,
        new NodeAuthorizer({ index: this.#rbac, graph: this.#nodes }),
        new RbacAuthorizer(this.#rbac),
      ]),
    };
  }

  #serveCustomResources(tools: SchemaTools, client: WebhookClient): CrdServing {
    const { storage, random, onError } = this.#options;
    return new CrdServing({
      storage,
      catalog: this.catalog,
      tools: { ...tools, conversion: { client, random } },
      onRemoved: (prefix) => this.server.watches.close(prefix),
      // Names are granted when a definition is written, so a definition that waits for names is rewritten unchanged.
      onNamesFreed: (name) => void this.#writeAsItIs(`${CRDS}/${name}`),
      onChanged: () => {
        // Changes made during startup are picked up by the refresh at the end of start().
        if (this.#started) void this.#apiServices.refresh();
      },
      onError,
    });
  }

  #putBuiltins(parts: {
    readonly tools: SchemaTools;
    readonly identity: Identity;
    readonly allocator: ReturnType<typeof memoryServiceAllocator>;
  }): void {
    const { tools, identity, allocator } = parts;
    const { accounts, authorizer } = identity;
    const { clock, random, allowLoopbackEndpoints, connect } = this.#options;
    const definitions = builtinDefinitions({
      clock,
      random,
      allocator,
      allowLoopbackEndpoints,
      connect: new Map([
        ['serviceaccounts/token', tokenRequest({ tokens: this.tokens, read: this.#read, clock })],
        ...(connect ?? []),
      ]),
      virtual: new Map([
        ...accessReviews({ authorizer, index: this.#rbac }),
        ...authenticationReviews({ serviceAccounts: accounts, clock }),
        ['bindings', podBindings(() => asServer(this.server.handle))],
      ]),
      foreign: new Map([
        ['customresourcedefinitions', (row) => crdDefinition(row, { tools, clock, namesInUse: this.#crds.namesInUse })],
      ]),
    });
    for (const definition of definitions) this.catalog.put(definition);
  }

  #aggregate(): Aggregation {
    const { storage, clock, frontProxy, onError } = this.#options;
    return new Aggregation({
      storage,
      read: this.#read,
      clock,
      handle: (request) => this.server.handle(request),
      clientCertificate: async () => frontProxy?.clientCertificate(),
      onError,
    });
  }

  #makeServer({ accounts, authorizer }: Identity, client: WebhookClient): ApiServer {
    const { storage, clock, random, tokens = new Map(), limits, onError } = this.#options;
    const { catalog } = this;
    const read = this.#read;
    const watches = (): ApiServer['watches'] => this.server.watches;
    const metrics = new ServerMetrics({ catalog, storage, watches, others: [this.#webhooks.metrics] });
    return new ApiServer({
      storage,
      clock,
      random,
      catalog,
      authenticators: [certificateAuthenticator, new StaticTokenAuthenticator(tokens), accounts],
      authorizer,
      admissionPlugins: [
        ...admissionPlugins({ storage, read, random, index: this.#rbac, authorizer }),
        ...this.#webhooks.plugins({ client, clock, random, catalog, read, authorizer }),
      ],
      aggregation: this.#aggregation.handler,
      nonResourceHandlers: this.#nonResourceHandlers(metrics),
      decodeProtobuf: (bytes) => decodeProtobuf(bytes).object,
      limits,
      onError,
      audit: metrics.audit,
    });
  }

  /**
   * Publishes the server's address to pods (as the Service `default/kubernetes`) and the trust data that aggregated servers need
   * to recognize it. Call it once the server listens.
   */
  async publish(): Promise<void> {
    const { handle } = this.server;
    const { serverAddress, frontProxy } = this.#options;
    await publishServer({ handle, address: serverAddress() });
    if (frontProxy) await publishAuthentication(handle, frontProxy);
  }

  /** Handles a request. The same function serves sockets and in-process callers. */
  get handle(): ApiHandler {
    return this.server.handle;
  }

  /** Reads the stored objects and creates those that every cluster has. Requests get correct responses from then on. */
  async start(): Promise<void> {
    const { storage, clock, random } = this.#options;
    await this.#rbac.start(storage);
    await this.#nodes.start(storage);
    await this.#webhooks.start(storage);
    await this.#crds.start();
    await this.#events.start();
    this.#followers.push(await this.#followServices());
    await bootstrap({ storage, clock, random });
    await this.#aggregation.start();
    this.#started = true;
    await this.#apiServices.refresh();
  }

  /** Creates a webhook caller that is disposed with the server. */
  #ownCaller(): WebhookCaller {
    const caller = new HttpsWebhookCaller();
    this.#followers.push(caller);
    return caller;
  }

  #nonResourceHandlers(metrics: ServerMetrics): readonly NonResourceHandler[] {
    const { serverAddress } = this.#options;
    const { catalog } = this;
    const remote = this.#aggregation;
    const started: HealthCheck = {
      name: 'poststarthook/rbac/bootstrap-roles',
      check: () => (this.#started ? undefined : 'not finished'),
    };
    const checks: readonly HealthCheck[] = [{ name: 'ping', check: () => undefined }, started];
    return [
      healthHandler({ checks }),
      versionHandler(),
      rootHandler({ catalog, remote, paths: PATHS }),
      openIdHandler({ tokens: this.tokens, serverAddress }),
      discoveryHandler({ catalog, remote, serverAddress, priorities: builtinPriorities }),
      openApiHandler({ catalog, remote }),
      metrics.handler,
    ];
  }

  /** Rewrites an object unchanged. An object that was deleted or rejected in the meantime needs no rewrite. */
  async #writeAsItIs(path: string): Promise<void> {
    await asServer(this.server.handle)('PATCH', path, { body: {}, contentType: 'application/merge-patch+json' });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.server[Symbol.asyncDispose]();
    for (const follower of [
      this.#rbac,
      this.#nodes,
      this.#crds,
      this.#events,
      this.#webhooks,
      this.#aggregation,
      ...this.#followers,
    ]) {
      follower[Symbol.dispose]();
    }
  }
}

const CRDS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

/** Paths listed under `/` in addition to those of API groups. */
const PATHS = [
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

/** Authenticates service accounts, and authorizes everyone. */
interface Identity {
  readonly accounts: ServiceAccountAuthenticator;
  readonly authorizer: Authorizer;
}

function schemaTools(): SchemaTools {
  const patterns = new PatternCache();
  return {
    compilePattern: (pattern) => patterns.get(pattern),
    environment: kubernetesEnvironment({ patterns }),
  };
}
