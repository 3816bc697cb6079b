import { apiVersionOf, StatusError } from '@kubewright/apimachinery';
import { AdmissionChain } from './admission/admission-chain.ts';
import type { ApiServerOptions } from './api-server-options.ts';
import { type AuditPolicy, auditDecision, parseAuditPolicy } from './audit/audit-policy.ts';
import { type AuditedFacts, AuditedRequest } from './audit/audited-request.ts';
import type { UserInfo } from './authentication/authenticator.ts';
import { RequestAuthenticator } from './authentication/request-authenticator.ts';
import {
  authorizeRequest,
  failureFormat,
  InFlight,
  impersonate,
  negotiatedStatus,
  type RequestContext,
  resourceEndpoint,
  type SlotHolder,
  StreamSlots,
  slotHolder,
  statusOf,
  WarningList,
} from './endpoints/index.ts';
import type { ApiRequest, ApiResponse } from './http/api-request.ts';
import { pathNotFound, unauthorized } from './http/failures.ts';
import { isStreaming } from './http/long-running.ts';
import { ConvertedStorage, Registry, type RegistryServices, type ResourceDefinition } from './registry/index.ts';
import { parseRequestInfo, type RequestInfo } from './request-info/index.ts';
import { CommitTooLargeError, StorageFullError } from './storage/index.ts';
import { TurnLimit } from './turn-limit.ts';
import { UnreadLimit, WatchHubs } from './watch/index.ts';
import { WebhookFault } from './webhooks/webhook-fault.ts';

const defaultMaxBodyBytes = 3 * 1024 * 1024;
const reading = new Set(['get', 'list', 'head', 'options']);

/**
 * The API server as a function: `handle(request) → response`, without a socket.
 *
 * A request passes through: request info → authentication → impersonation → authorization → routing → decoding → defaults →
 * mutating admission → validation → validating admission → storage. The response to every failure is a `Status`; `handle` never
 * rejects. Mirrors the handler chain of k8s.io/apiserver (1.36).
 *
 * @example
 * ```ts
 * async function ready(options: ApiServerOptions, request: ApiRequest): Promise<boolean> {
 *   await using server = new ApiServer(options);
 *   const { status } = await server.handle({ ...request, method: 'GET', path: '/readyz' });
 *   return status === 200;
 * }
 * ```
 */
export class ApiServer implements AsyncDisposable {
  readonly #options: ApiServerOptions;
  readonly #authenticator: RequestAuthenticator;
  readonly #services: RegistryServices;
  readonly #hubs: WatchHubs;
  readonly #inFlight: InFlight;
  readonly #streams: StreamSlots;
  readonly #registries = new WeakMap<ResourceDefinition, Registry>();
  readonly #maxBodyBytes: number;
  readonly #turns: TurnLimit;
  readonly #auditPolicy: AuditPolicy | undefined;

  constructor(options: ApiServerOptions) {
    const { storage, clock, random, authenticators, admissionPlugins = [], limits = {} } = options;
    this.#options = options;
    this.#turns = new TurnLimit(clock);
    this.#auditPolicy = options.auditLog && parseAuditPolicy(options.auditLog.policy);
    this.#authenticator = new RequestAuthenticator({ authenticators, unauthorized });
    const { maxUnreadBytesPerUser = 64 * 1024 * 1024 } = limits;
    this.#hubs = new WatchHubs({ storage, clock, random, unread: new UnreadLimit(maxUnreadBytesPerUser) });
    this.#services = {
      storage,
      clock,
      random,
      admission: new AdmissionChain(admissionPlugins),
      knowsKind: ({ group, version }, kind) =>
        options.catalog
          .all()
          .some((other) => other.kind === kind && other.group === group && other.version === version),
      watchSource: (definition) => this.#hubs.hub(definition.storagePrefix),
    };
    const { maxReading = 400, maxWriting = 200, reserved = 40, userShare = 0.5 } = limits;
    const { maxBodyBytes = defaultMaxBodyBytes } = limits;
    this.#inFlight = new InFlight({ maxReading, maxWriting, reserved, userShare });
    const { maxStreams = 3000, maxStreamsPerUser = 1000, reservedStreams = 1000 } = limits;
    this.#streams = new StreamSlots({ maxStreams, maxStreamsPerUser, reservedStreams });
    this.#maxBodyBytes = maxBodyBytes;
  }

  /** The watches of all resources, for metrics and for ending the watches of a resource that is no longer served. */
  get watches(): WatchHubs {
    return this.#hubs;
  }

  /** Returns the registry of a definition, through which the server's own components read and write without authorization. */
  registry(definition: ResourceDefinition): Registry {
    let registry = this.#registries.get(definition);
    if (registry === undefined) {
      registry = new Registry(definition, this.#servicesOf(definition));
      this.#registries.set(definition, registry);
    }
    return registry;
  }

  /**
   * Returns the services for the registry of a definition. For a version with a conversion webhook, storage converts objects to
   * that version.
   */
  #servicesOf(definition: ResourceDefinition): RegistryServices {
    const { converter, storagePrefix } = definition;
    if (converter === undefined) return this.#services;
    const apiVersion = apiVersionOf(definition);
    const storage = new ConvertedStorage(this.#services.storage, { converter, apiVersion });
    const convert: ConvertedStorage['convertAll'] = (objects) => storage.convertAll(objects);
    return {
      ...this.#services,
      storage,
      rehearse: (made) => storage.rehearse(made),
      watchSource: () => this.#hubs.convertedHub(storagePrefix, { apiVersion, convert }),
    };
  }

  /** Handles a request. Never rejects. Bound, because it is passed around as an {@link ApiHandler}. */
  readonly handle = async (request: ApiRequest): Promise<ApiResponse> => {
    const { clock, random, audit } = this.#options;
    const pause = this.#turns.pause();
    if (pause) await pause;
    const started = audit ? clock.monotonic() : 0;
    const auditId = request.headers['audit-id'] ?? random.uid();
    const warnings = new WarningList();
    const state: RequestState = { auditId, info: undefined, user: undefined, audited: undefined };
    let response: ApiResponse;
    try {
      response = await this.#process(request, { warnings, state });
    } catch (error) {
      response = this.#failure(request, error);
    }
    if (state.audited) response = state.audited.respond(response);
    if (audit) {
      const { info, user } = state;
      audit({ auditId, request, info, user, status: response.status, durationMs: clock.monotonic() - started });
    }
    if (response.status === 101) return response;
    const headers: Record<string, string | readonly string[]> = { ...response.headers, 'audit-id': auditId };
    const warning = warnings.headers();
    if (warning !== undefined) headers['warning'] = warning;
    const isHead = request.method === 'HEAD';
    // A stream without a reader would stay open until its timeout.
    if (isHead && !(response.body instanceof Uint8Array)) await response.body[Symbol.asyncIterator]().return?.();
    const body = isHead ? empty : response.body;
    return { status: response.status, headers, body };
  };

  async #process(
    arrived: ApiRequest,
    { warnings, state }: { readonly warnings: WarningList; readonly state: RequestState },
  ): Promise<ApiResponse> {
    const { authorizer } = this.#options;
    const info = parseRequestInfo(arrived.method, arrived.path);
    state.info = info;
    const authenticated = await this.#authenticate(arrived, state.auditId);
    state.user = authenticated;
    const audited = this.#audited({ auditId: state.auditId, request: arrived, info, user: authenticated });
    state.audited = audited;
    audited?.receive();
    const user = await impersonate(arrived, authenticated, authorizer);
    state.user = user;
    if (user !== authenticated) audited?.impersonate(user);
    await authorizeRequest(authorizer, { info, user }, audited?.annotate);
    const request = audited?.recorded() ?? arrived;
    const { auditId } = state;
    const context: RequestContext = { request, info, user, warnings, annotate: audited?.annotate, auditId };
    const holder = slotHolder(request, user);
    // A caller inside the process occupies no connection.
    if (isStreaming(info) && request.connection.protocol !== 'in-process') {
      return this.#streams.hold(holder, request, (held) => this.#limited({ ...context, request: held }, holder));
    }
    return this.#limited(context, holder);
  }

  /** Authenticates a request. Records a request with rejected credentials in the audit log. */
  async #authenticate(request: ApiRequest, auditId: string): Promise<UserInfo> {
    try {
      return await this.#authenticator.authenticate(request);
    } catch (error) {
      const info = parseRequestInfo(request.method, request.path);
      this.#audited({ auditId, request, info, user: undefined })?.reject(this.#failure(request, error));
      throw error;
    }
  }

  /** Returns the audit record of a request, or undefined if the audit policy does not select the request. */
  #audited(facts: Omit<AuditedFacts, 'definition'>): AuditedRequest | undefined {
    const { auditLog, catalog, clock, protobuf } = this.#options;
    if (!auditLog || !this.#auditPolicy) return undefined;
    const { info } = facts;
    const decision = auditDecision(this.#auditPolicy, facts);
    if (decision.level === 'None') return undefined;
    const definition = info.isResource ? catalog.find(info.group, info.version, info.resource) : undefined;
    return new AuditedRequest({ ...facts, definition }, { decision, clock, protobuf, write: auditLog.write });
  }

  /** Routes a request. The request occupies an in-flight slot while it runs, unless it is a stream. */
  async #limited(context: RequestContext, holder: SlotHolder): Promise<ApiResponse> {
    const { info } = context;
    // Decided by verb and subresource only: otherwise, any request could evade the limit by offering to switch
    // protocols.
    if (isStreaming(info)) return this.#route(context);
    const slot = { writes: !reading.has(info.verb), ...holder };
    this.#inFlight.enter(slot);
    try {
      return await this.#route(context);
    } finally {
      this.#inFlight.leave(slot);
    }
  }

  #route(context: RequestContext): Promise<ApiResponse> | ApiResponse {
    const { info } = context;
    const { authorizer, catalog, aggregation, nonResourceHandlers = [], protobuf } = this.#options;
    const elsewhere = aggregation?.(context);
    if (elsewhere !== undefined) return elsewhere;
    if (info.isResource) {
      const definition = catalog.find(info.group, info.version, info.resource);
      if (definition !== undefined && (!definition.hidden || context.user.username === 'system:apiserver')) {
        const registry = this.registry(definition);
        const endpointOptions = { authorizer, maxBodyBytes: this.#maxBodyBytes, protobuf };
        return resourceEndpoint({ ...context, registry, options: endpointOptions });
      }
    }
    for (const handler of nonResourceHandlers) {
      const response = handler(context);
      if (response !== undefined) return response;
    }
    if (info.isResource && catalog.servesGroup(info.group)) throw pathNotFound();
    return pageNotFound;
  }

  #failure(request: ApiRequest, error: unknown): ApiResponse {
    const status = statusOf(error);
    // A deliberate error response is not an internal error, even if its code is 500: as in upstream, some errors are a
    // 500 without a reason.
    const isRejection = [WebhookFault, CommitTooLargeError, StorageFullError].some((type) => error instanceof type);
    const meant = isRejection || (error instanceof StatusError && status.reason !== 'InternalError');
    if (status.code >= 500 && !meant && !request.signal.aborted) this.#options.onError?.(error, request);
    return negotiatedStatus(status, failureFormat(request, this.#options.protobuf));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#hubs[Symbol.asyncDispose]();
  }
}

interface RequestState {
  readonly auditId: string;
  info: RequestInfo | undefined;
  user: UserInfo | undefined;
  audited: AuditedRequest | undefined;
}

const empty = new Uint8Array(0);
const pageNotFound: ApiResponse = {
  status: 404,
  headers: {
    'content-type': 'text/plain; charset=utf-8',
    'cache-control': 'no-cache, private',
    'x-content-type-options': 'nosniff',
  },
  body: Buffer.from('404 page not found\n'),
};
