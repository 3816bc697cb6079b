import {
  type Clock,
  type Kind,
  type KindDescriptor,
  type KubernetesObject,
  type Random,
  systemClock,
  systemRandom,
} from '@kubewright/apimachinery';
import { stringifyJson } from '@kubewright/apimachinery/internal';
import { CallRunner } from './call/call-runner.ts';
import { RateLimit, type RateLimitOptions } from './call/rate-limit.ts';
import { RequestError } from './call/request-error.ts';
import { readJson } from './call/response-body.ts';
import { type RetryPolicy, resolveRetryPolicy } from './call/retry-policy.ts';
import type { ApiWarning } from './call/warning.ts';
import type { WriteObserver } from './call/write-observer.ts';
import { type ClientView, impersonating } from './client-view.ts';
import { DiscoveryClient } from './discovery/discovery-client.ts';
import type { ClientCall, ClientInterceptor } from './interceptor.ts';
import type { PodsClient } from './pods/pods-client.ts';
import { podKind, StreamingPodsClient } from './pods/streaming-pods-client.ts';
import type { MetadataClient } from './resource/metadata-client.ts';
import type { ResourceScope } from './resource/object-request.ts';
import type { ByteStream, ResourceClient } from './resource/resource-client.ts';
import { TypedResourceClient } from './resource/typed-resource-client.ts';
import type { Transport } from './transport/transport.ts';

/** Options for {@link KubernetesClient}. */
export interface KubernetesClientOptions extends Omit<ClientView, 'impersonate'> {
  /** Sends the requests. The client owns the transport and disposes it. */
  readonly transport: Transport;
  /** Namespace for keys and objects of namespaced kinds that have none. @defaultValue `default` */
  readonly defaultNamespace?: string;
  /** @defaultValue `kubewright` */
  readonly userAgent?: string;
  readonly clock?: Clock;
  readonly random?: Random;
  /** Wrap every call; the first interceptor is the outermost. */
  readonly interceptors?: readonly ClientInterceptor[];
  readonly retry?: RetryPolicy;
  /** Limits requests on the client side. @defaultValue none: only the server's API priority and fairness applies */
  readonly rateLimit?: RateLimitOptions;
  /** Called once for each warning text from the server. */
  readonly onWarning?: (warning: ApiWarning, call: ClientCall) => void;
  /** Notified of every write to a resource and its outcome. */
  readonly writeObservers?: readonly WriteObserver[];
}

/** A request for an arbitrary path. */
export interface RawRequest {
  /** @defaultValue `GET` */
  readonly method?: string;
  /** Path and query. */
  readonly path: string;
  /** Header names in lower case. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Bytes are sent unchanged, anything else as JSON. */
  readonly body?: unknown;
  readonly signal?: AbortSignal | undefined;
  readonly longRunning?: boolean;
}

/**
 * A client of one API server. It caches only discovery, and opens no connection until the first call. Any number of calls may run
 * concurrently; short calls share a few connections, watches have their own.
 *
 * Every call throws a `StatusError` if the API rejects it (check with `isNotFound`, `isConflict`, …; after a conflict, read again
 * and retry) and a `TransportError` if there is no complete response (`retryable` is true if a retry may succeed).
 *
 * In responses, integers beyond 2^53 are bigints, because a number would round them, although the types say `number`.
 * Bodies may contain bigints, so an object that was read is written back exactly.
 *
 * @example
 * const client = new KubernetesClient({ transport });
 * const pod = await client.resource(Pod).get({ namespace: 'shop', name: 'web-0' });
 */
export class KubernetesClient implements AsyncDisposable {
  /** Namespace of calls on namespaced kinds that set no namespace. */
  readonly defaultNamespace: string;
  /** The resources that the server serves; fetched on first use, then cached. */
  readonly discovery: DiscoveryClient;
  readonly #options: KubernetesClientOptions;
  readonly #runner: CallRunner;
  readonly #transport: Transport;

  /**
   * @param base - a client whose rate limit, discovery and seen warnings this one shares; see {@link
   * KubernetesClient.intercepted}.
   */
  constructor(options: KubernetesClientOptions, base?: KubernetesClient) {
    const clock = options.clock ?? systemClock;
    this.#options = options;
    this.defaultNamespace = options.namespace ?? options.defaultNamespace ?? 'default';
    this.#transport = options.transport;
    if (base) {
      const { interceptors = [], writeObservers } = options;
      this.#runner = base.#runner.derived({ interceptors, writeObservers });
      this.discovery = base.discovery;
      return;
    }
    this.#runner = new CallRunner({
      transport: options.transport,
      clock,
      random: options.random ?? systemRandom,
      interceptors: options.interceptors ?? [],
      retry: resolveRetryPolicy(options.retry),
      headers: { 'user-agent': options.userAgent ?? 'kubewright' },
      rateLimit: options.rateLimit ? new RateLimit({ ...options.rateLimit, clock }) : undefined,
      onWarning: options.onWarning,
      writeObservers: options.writeObservers,
    });
    this.discovery = new DiscoveryClient(
      (path, { accept, signal }) => this.request({ path, headers: { accept: accept ?? 'application/json' }, signal }),
      { clock },
    );
  }

  /** Returns a client for one kind. */
  resource<T extends KubernetesObject>(kind: Kind<T>): ResourceClient<T> {
    return new TypedResourceClient<T>(this.#runner, this.#scope(kind));
  }

  /** Access to the logs, commands, ports and evictions of pods. */
  get pods(): PodsClient {
    return new StreamingPodsClient(this.#runner, this.#scope(podKind));
  }

  /**
   * Returns a client for one kind that reads only metadata (`PartialObjectMetadata`), which needs a fraction of the
   * bandwidth.
   */
  metadata(kind: Kind<unknown>): MetadataClient {
    return new TypedResourceClient<KubernetesObject>(this.#runner, {
      ...this.#scope(kind),
      accept: {
        object: 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json',
        list: 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json',
      },
    });
  }

  /**
   * Sends a request to any path and parses the response as JSON. `R` is not checked at run time.
   * @throws StatusError, TransportError as for every call.
   */
  async request<R = unknown>(request: RawRequest): Promise<R> {
    const { headers, body, status } = await this.#send(request);
    return (await readJson({ headers, body, status }, `${request.method ?? 'GET'} ${request.path}`)) as R;
  }

  /** Sends a request to any path and streams the bytes of the response. */
  async stream(request: RawRequest): Promise<ByteStream> {
    const { headers, body } = await this.#send(request);
    return { headers, body };
  }

  /**
   * Returns a client that shares everything with this one and adds interceptors inside the existing interceptors. Cheap enough to
   * create per reconcile. Disposing either client closes the transport of both.
   *
   * @example
   * const readOnly = client.intercepted((call, next) => {
   *   if (call.request.method !== 'GET') throw new Error('this part of the program only reads');
   *   return next(call);
   * });
   */
  intercepted(...interceptors: readonly ClientInterceptor[]): KubernetesClient {
    const all = [...(this.#options.interceptors ?? []), ...interceptors];
    return new KubernetesClient({ ...this.#options, interceptors: all }, this);
  }

  /**
   * Returns a client that shares everything with this one and applies settings to all calls: a field manager, validation, dry runs,
   * one namespace, another user. Settings accumulate: a further `with` cannot undo a dry run or a namespace.
   *
   * @example
   * const tried = await client.with({ dryRun: true, fieldValidation: 'Strict' }).resource(Pod).create(pod);
   * const jane = client.with({ namespace: 'shop', impersonate: { user: 'jane', groups: ['dev'] } });
   * @throws RequestError if this client is already bound to another namespace.
   */
  with(view: ClientView): KubernetesClient {
    const { impersonate, ...rest } = view;
    const { namespace, dryRun, interceptors = [] } = this.#options;
    if (namespace !== undefined && rest.namespace !== undefined && rest.namespace !== namespace) {
      throw new RequestError({
        what: `cannot bind the client to namespace "${rest.namespace}"`,
        why: `the client is already bound to namespace "${namespace}"`,
      });
    }
    // The impersonating interceptor is innermost, so all others see the original headers.
    const all = impersonate ? [...interceptors, impersonating(impersonate)] : interceptors;
    const bound = { ...this.#options, ...rest, interceptors: all, dryRun: dryRun === true || rest.dryRun === true };
    return new KubernetesClient(bound, this);
  }

  /** Returns a client that shares everything with this one and adds an observer of its writes. */
  observed(observer: WriteObserver): KubernetesClient {
    const writeObservers = [...(this.#options.writeObservers ?? []), observer];
    return new KubernetesClient({ ...this.#options, writeObservers }, this);
  }

  /** Closes the transport; calls in flight fail. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#transport[Symbol.asyncDispose]();
  }

  #scope(kind: KindDescriptor): ResourceScope {
    const { fieldManager, fieldValidation, dryRun, namespace: onlyNamespace } = this.#options;
    return { kind, defaultNamespace: this.defaultNamespace, fieldManager, fieldValidation, dryRun, onlyNamespace };
  }

  #send(request: RawRequest): ReturnType<CallRunner['run']> {
    const { body } = request;
    if (this.#options.dryRun && (request.method ?? 'GET') !== 'GET') {
      throw new RequestError({
        what: `cannot send ${request.method} ${request.path}`,
        why: 'the client is in dry-run mode, which does not support raw write requests',
      });
    }
    const bytes = body === undefined || body instanceof Uint8Array ? body : Buffer.from(stringifyJson(body), 'utf8');
    return this.#runner.run({
      verb: 'raw',
      method: request.method ?? 'GET',
      path: request.path,
      headers: {
        accept: 'application/json',
        ...(bytes === undefined ? {} : { 'content-type': 'application/json' }),
        ...request.headers,
      },
      body: bytes,
      signal: request.signal,
      longRunning: request.longRunning,
    });
  }
}
