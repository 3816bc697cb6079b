import { formatTime, type KeyPair } from '@kubewright/apimachinery/internal';
import { asServer } from '../as-server.ts';
import type { RequestContext } from '../endpoints/request-context.ts';
import type { ApiResponse } from '../http/api-request.ts';
import { storagePrefix } from '../registry/storage-prefix.ts';
import { eachChange } from '../storage/each-change.ts';
import type { StorageChange } from '../storage/index.ts';
import { serviceResolver } from '../webhooks/service-resolver.ts';
import type { AggregationOptions } from './aggregation.ts';
import { type ApiService, availableCondition, pathName, type RemoteApiService } from './api-service.ts';
import { Backend } from './backend.ts';
import { type Availability, checkAvailability, localAvailability } from './check-availability.ts';
import type { ResourceEntry } from './discovery-entry.ts';
import { forward } from './forward.ts';
import { PeriodicChecks } from './periodic-checks.ts';
import { fetchOpenApiPath, fetchResources } from './remote-documents.ts';
import type { RemoteVersion } from './remote-groups.ts';

const apiServicePath = '/apis/apiregistration.k8s.io/v1/apiservices';
const servicePrefix = storagePrefix({ group: '', resource: 'services' });
const slicePrefix = storagePrefix({ group: 'discovery.k8s.io', resource: 'endpointslices' });
const decoder = new TextDecoder();

/** The state of the server behind an APIService. */
interface Known {
  readonly apiService: RemoteApiService;
  readonly backend: Backend;
  /** Absent until the first response. */
  readonly resources?: readonly ResourceEntry[] | undefined;
  /** True if the last request failed, so {@link resources} come from an earlier request. */
  readonly isStale: boolean;
  readonly openApiPath?: string | undefined;
}

/** Talks to the servers behind APIServices: forwards requests, and tracks their availability and resources. */
export class Aggregator implements Disposable {
  readonly #options: AggregationOptions;
  readonly #resolve: ReturnType<typeof serviceResolver>;
  readonly #known = new Map<string, Known>();
  readonly #availability: PeriodicChecks;
  readonly #documents: PeriodicChecks;
  readonly #subscriptions: Disposable[] = [];
  #client: KeyPair | undefined;
  #generation = 1;

  constructor(options: AggregationOptions) {
    const { clock, onError, storage, read } = options;
    this.#options = options;
    this.#resolve = serviceResolver({ storage, read });
    this.#availability = new PeriodicChecks({
      clock,
      onError,
      check: (name) => this.#checkAvailability(name),
      everyMs: 30_000,
      retryMs: 5,
    });
    this.#documents = new PeriodicChecks({
      clock,
      onError,
      check: (name) => this.#fetchDocuments(name),
      everyMs: 60_000,
      retryMs: 500,
    });
  }

  /** Starts watching Services and EndpointSlices. Must be called once, before any other method. */
  async start(): Promise<void> {
    this.#client = await this.#options.clientCertificate();
    const { storage } = this.#options;
    const fromRevision = await storage.revision();
    for (const prefix of [servicePrefix, slicePrefix]) {
      this.#subscriptions.push(
        await storage.watch(
          { prefix, fromRevision },
          eachChange((change) => this.#serviceChanged(prefix, change)),
        ),
      );
    }
  }

  /** Changes whenever the result of {@link versions} or {@link openApiPaths} changes. */
  get generation(): number {
    return this.#generation;
  }

  /** Adds or updates an APIService. */
  set(apiService: RemoteApiService): void {
    const name = apiService.metadata.name ?? '';
    const known = this.#known.get(name);
    const isSpecChanged = JSON.stringify(known?.apiService.spec) !== JSON.stringify(apiService.spec);
    // The previous backend is not disposed: its connections in use stay open, and idle connections time out.
    const backend = known === undefined || isSpecChanged ? this.#backend(apiService) : known.backend;
    this.#update(name, { isStale: false, ...known, apiService, backend });
    const isAvailable = availableCondition(apiService)?.status === 'True';
    const wasAvailable = known !== undefined && availableCondition(known.apiService)?.status === 'True';
    if (isSpecChanged) this.#availability.check(name);
    if (isSpecChanged || isAvailable !== wasAvailable) this.#documents.check(name);
  }

  /** Removes an APIService that was deleted, or that is now served locally. */
  remove(name: string, local: ApiService | undefined): void {
    this.#known.delete(name);
    this.#availability.forget(name);
    this.#documents.forget(name);
    this.#generation++;
    if (local) void this.#report(local, localAvailability).catch(this.#options.onError);
  }

  /** Forwards a request to the server behind an APIService. */
  async forward(name: string, context: RequestContext): Promise<ApiResponse> {
    const known = this.#known.get(name);
    if (known === undefined) throw new Error(`cannot forward to the unknown APIService ${name}`);
    return forward(context, { ...known, clock: this.#options.clock });
  }

  versions(): readonly RemoteVersion[] {
    return [...this.#known.values()].map(({ apiService, resources, isStale }) => {
      const { group, version, groupPriorityMinimum, versionPriority } = apiService.spec;
      const freshness = isStale ? 'Stale' : 'Current';
      const entry = resources && { version, ...(resources.length > 0 && { resources }), freshness };
      return { group, version, groupPriority: groupPriorityMinimum, versionPriority, entry };
    });
  }

  openApiPaths(): ReadonlyMap<string, string> {
    const paths = new Map<string, string>();
    for (const { apiService, openApiPath } of this.#known.values()) {
      if (openApiPath !== undefined) paths.set(pathName(apiService), openApiPath);
    }
    return paths;
  }

  async openApiDocument(name: string, context: RequestContext): Promise<ApiResponse> {
    const [owner = ''] = [...this.#known].find(([, { apiService }]) => pathName(apiService) === name) ?? [];
    return this.forward(owner, context);
  }

  [Symbol.dispose](): void {
    for (const part of [this.#availability, this.#documents, ...this.#subscriptions]) part[Symbol.dispose]();
    for (const { backend } of this.#known.values()) backend[Symbol.dispose]();
    this.#known.clear();
  }

  #backend({ spec }: RemoteApiService): Backend {
    const { clock, dial } = this.#options;
    return new Backend(spec, { resolve: this.#resolve, clock, dial, client: this.#client });
  }

  #update(name: string, known: Known): void {
    this.#known.set(name, known);
    this.#generation++;
  }

  #serviceChanged(prefix: string, { key, current, previous }: StorageChange): void {
    for (const [name, { apiService }] of this.#known) {
      const { service } = apiService.spec;
      const concerns =
        prefix === servicePrefix
          ? key === `${servicePrefix}${service.namespace}/${service.name}`
          : key.startsWith(`${slicePrefix}${service.namespace}/`) &&
            [current, previous].some((stored) => stored && serviceOf(stored.bytes) === service.name);
      if (concerns) this.#availability.check(name);
    }
  }

  async #checkAvailability(name: string): Promise<boolean> {
    const known = this.#known.get(name);
    if (known === undefined) return true;
    const availability = await checkAvailability(known.apiService, { ...this.#options, ...known });
    const present = this.#known.get(name);
    // The APIService has changed, and the result belongs to its previous backend.
    if (present?.backend !== known.backend) return true;
    return (await this.#report(present.apiService, availability)) && availability.reason !== 'FailedDiscoveryCheck';
  }

  /** Writes the condition if it changed. Returns false if the APIService has changed in the meantime. */
  async #report(apiService: ApiService, { status, reason, message }: Availability): Promise<boolean> {
    const before = availableCondition(apiService);
    if (before?.status === status && before.reason === reason && before.message === message) return true;
    const lastTransitionTime =
      before?.status === status ? before.lastTransitionTime : formatTime(this.#options.clock.now());
    const condition = { type: 'Available', status, lastTransitionTime, reason, message };
    const others = (apiService.status?.conditions ?? []).filter(({ type }) => type !== 'Available');
    const { name, resourceVersion } = apiService.metadata;
    const path = `${apiServicePath}/${name}/status`;
    const body = { metadata: { resourceVersion }, status: { conditions: [...others, condition] } };
    const contentType = 'application/merge-patch+json';
    const response = await asServer(this.#options.handle)('PATCH', path, { body, contentType });
    if (response.status < 300) return true;
    if (response.status === 404 || response.status === 409) return false;
    throw new Error(`${path}: ${response.status} ${response.text}`);
  }

  async #fetchDocuments(name: string): Promise<boolean> {
    const fetched = this.#known.get(name);
    if (fetched === undefined) return true;
    const parts = { backend: fetched.backend, clock: this.#options.clock };
    const [resources, openApiPath] = await Promise.allSettled([
      fetchResources(fetched.apiService, parts),
      fetchOpenApiPath(fetched.apiService, parts),
    ]);
    const known = this.#known.get(name);
    if (known?.backend !== fetched.backend) return true;
    const isReachable = resources.status === 'fulfilled';
    this.#update(name, {
      ...known,
      resources: isReachable ? resources.value : (known.resources ?? []),
      isStale: !isReachable,
      openApiPath: openApiPath.status === 'fulfilled' ? openApiPath.value : known.openApiPath,
    });
    return isReachable && openApiPath.status === 'fulfilled';
  }
}

function serviceOf(bytes: Uint8Array): string | undefined {
  // Only EndpointSlices are stored under this prefix.
  const { metadata } = JSON.parse(decoder.decode(bytes)) as {
    readonly metadata: { readonly labels?: Record<string, string> };
  };
  return metadata.labels?.['kubernetes.io/service-name'];
}
