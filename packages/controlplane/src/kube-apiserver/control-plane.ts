import { createPrivateKey } from 'node:crypto';
import type { Clock, Random } from '@kubewright/apimachinery';
import type { KeyPair } from '@kubewright/apimachinery/internal';
import {
  type AdmissionPlugin,
  type ApiHandler,
  ApiServer,
  type ApiServerLimits,
  type Authorizer,
  type ConnectSubresource,
  certificateAuthenticator,
  discoveryHandler,
  type HealthCheck,
  healthHandler,
  MutableCatalog,
  type NonResourceHandler,
  namespaceLifecycle,
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
  Aggregation,
  asServer,
  CrdServing,
  crdDefinition,
  eachChange,
  HttpsWebhookCaller,
  MutatingWebhooks,
  type ReadObject,
  type SchemaTools,
  ServerMetrics,
  serviceResolver,
  storedObjectReader,
  ValidatingWebhooks,
  type WebhookCaller,
  WebhookClient,
  WebhookMetrics,
  WebhookSource,
} from '@kubewright/apiserver/internal';
import { decodeProtobuf, kubernetesEnvironment, PatternCache } from '@kubewright/schema';
import { builtinDefinitions, EventExpiry, memoryServiceAllocator, podBindings } from '../kinds/index.ts';
import {
  defaultTolerationSeconds,
  nodeRestriction,
  priorityAdmission,
  rbacEscalationCheck,
  serviceAccountAdmission,
  taintNodesByCondition,
} from './admission/index.ts';
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

/** Options of {@link ControlPlane}. */
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
  readonly limits?: ApiServerLimits | undefined;
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
  readonly catalog: MutableCatalog;
  readonly tokens: ServiceAccountTokens;
  readonly #storage: Storage;
  readonly #seams: Pick<ControlPlaneOptions, 'storage' | 'clock' | 'random'>;
  readonly #rbac: RbacIndex;
  readonly #nodes: NodeGraph;
  readonly #crds: CrdServing;
  readonly #events: EventExpiry;
  readonly #webhooks: { readonly mutating: WebhookSource; readonly validating: WebhookSource };
  readonly #followers: Disposable[] = [];
  #started = false;
  readonly #apiServices: ApiServices;
  readonly #aggregation: Aggregation;
  readonly #frontProxy: FrontProxy | undefined;
  readonly #serverAddress: () => string;
  readonly #followServices: () => Promise<Disposable>;

  constructor(options: ControlPlaneOptions) {
    const { storage, clock, random, onError } = options;
    const read = storedObjectReader(storage);
    const patterns = new PatternCache();
    const environment = kubernetesEnvironment({ patterns });
    const tools: SchemaTools = { compilePattern: (pattern) => patterns.get(pattern), environment };
    this.#storage = storage;
    this.#webhooks = {
      mutating: new WebhookSource('mutatingwebhookconfigurations', environment),
      validating: new WebhookSource('validatingwebhookconfigurations', environment),
    };
    const webhookMetrics = new WebhookMetrics();
    const caller = options.webhookCaller ?? this.#ownCaller();
    const client = new WebhookClient({ caller, clock, resolve: serviceResolver({ storage, read }) });
    this.#seams = { storage, clock, random };
    this.#rbac = new RbacIndex();
    this.#nodes = new NodeGraph();
    this.#events = new EventExpiry({ storage, clock, onError });
    this.tokens = new ServiceAccountTokens({ signingKey: createPrivateKey(options.serviceAccountKey), clock, random });
    const accounts = new ServiceAccountAuthenticator({ tokens: this.tokens, read });
    const authorizer = new UnionAuthorizer([
      superuserAuthorizer,
      new NodeAuthorizer({ index: this.#rbac, graph: this.#nodes }),
      new RbacAuthorizer(this.#rbac),
    ]);
    const allocator = memoryServiceAllocator({ clock, random });
    this.catalog = new MutableCatalog();
    this.#crds = new CrdServing({
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
    const definitions = builtinDefinitions({
      clock,
      random,
      allocator,
      allowLoopbackEndpoints: options.allowLoopbackEndpoints,
      connect: new Map([
        ['serviceaccounts/token', tokenRequest({ tokens: this.tokens, read, clock })],
        ...(options.connect ?? []),
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
    this.#followServices = () => followServices(storage, allocator);
    this.#frontProxy = options.frontProxy;
    this.#aggregation = new Aggregation({
      storage,
      read,
      clock,
      handle: (request) => this.server.handle(request),
      clientCertificate: async () => options.frontProxy?.clientCertificate(),
      onError,
    });
    const metrics = new ServerMetrics({
      catalog: this.catalog,
      storage,
      watches: () => this.server.watches,
      others: [webhookMetrics],
    });
    const hooks = { client, clock, random, catalog: this.catalog, read, authorizer, metrics: webhookMetrics };
    this.server = new ApiServer({
      storage,
      clock,
      random,
      catalog: this.catalog,
      authenticators: [certificateAuthenticator, new StaticTokenAuthenticator(options.tokens ?? new Map()), accounts],
      authorizer,
      admissionPlugins: [
        ...admissionPlugins({ storage, read, random, index: this.#rbac, authorizer }),
        new MutatingWebhooks({ ...hooks, source: this.#webhooks.mutating }),
        new ValidatingWebhooks({ ...hooks, source: this.#webhooks.validating }),
      ],
      aggregation: this.#aggregation.handler,
      nonResourceHandlers: this.#nonResourceHandlers(options, metrics),
      decodeProtobuf: (bytes) => decodeProtobuf(bytes).object,
      limits: options.limits,
      onError,
      audit: metrics.audit,
    });
    this.#serverAddress = options.serverAddress;
    this.#apiServices = new ApiServices({ handle: this.server.handle, catalog: this.catalog, onError });
  }

  /**
   * Publishes the server's address to pods (as the Service `default/kubernetes`) and the trust data that aggregated servers need
   * to recognize it. Call it once the server listens.
   */
  async publish(): Promise<void> {
    const { handle } = this.server;
    await publishServer({ handle, address: this.#serverAddress() });
    if (this.#frontProxy) await publishAuthentication(handle, this.#frontProxy);
  }

  /** Handles a request. The same function serves sockets and in-process callers. */
  get handle(): ApiHandler {
    return this.server.handle;
  }

  /** Reads the stored objects and creates those that every cluster has. Requests get correct responses from then on. */
  async start(): Promise<void> {
    await this.#rbac.start(this.#storage);
    await this.#nodes.start(this.#storage);
    for (const source of [this.#webhooks.mutating, this.#webhooks.validating]) await source.start(this.#storage);
    await this.#crds.start();
    await this.#events.start();
    this.#followers.push(await this.#followServices());
    await bootstrap(this.#seams);
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

  #nonResourceHandlers({ serverAddress }: ControlPlaneOptions, metrics: ServerMetrics): readonly NonResourceHandler[] {
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
      discoveryHandler({ catalog, remote, serverAddress }),
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
    const { mutating, validating } = this.#webhooks;
    for (const follower of [
      this.#rbac,
      this.#nodes,
      this.#crds,
      this.#events,
      mutating,
      validating,
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

/** Returns the admission plugins in upstream's order. */
function admissionPlugins(parts: {
  readonly storage: Storage;
  readonly read: ReadObject;
  readonly random: Random;
  readonly index: RbacIndex;
  readonly authorizer: Authorizer;
}): readonly AdmissionPlugin[] {
  const { storage, read, random, index, authorizer } = parts;
  return [
    namespaceLifecycle({ storage }),
    serviceAccountAdmission({ read, random }),
    nodeRestriction({ read, authorizer }),
    taintNodesByCondition,
    priorityAdmission(read),
    defaultTolerationSeconds,
    rbacEscalationCheck({ index, authorizer }),
  ];
}

/** Keeps the allocator informed of the addresses and ports of stored services. */
async function followServices(
  storage: Storage,
  allocator: ReturnType<typeof memoryServiceAllocator>,
): Promise<Disposable> {
  const prefix = '/registry/services/';
  const decode = (stored: { readonly bytes: Uint8Array } | undefined) =>
    stored && JSON.parse(Buffer.from(stored.bytes).toString('utf8'));
  const { objects, revision } = await storage.list({ prefix });
  for (const stored of objects) allocator.stored({ current: decode(stored), previous: undefined });
  const apply = eachChange(({ current, previous }) =>
    allocator.stored({ current: decode(current), previous: decode(previous) }),
  );
  return storage.watch({ prefix, fromRevision: revision }, apply);
}
