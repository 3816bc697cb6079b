import type { Clock } from '@kubewright/apimachinery';
import type { KeyPair } from '@kubewright/apimachinery/internal';
import type { ReadObject } from '../admission/object-reader.ts';
import type { NonResourceHandler } from '../api-server-options.ts';
import type { RequestContext } from '../endpoints/request-context.ts';
import type { ApiHandler, ApiResponse } from '../http/api-request.ts';
import { followStorage, type Storage, type StoredObject, withRevision } from '../storage/index.ts';
import type { Dial } from '../webhooks/dialing-agent.ts';
import type { Aggregator } from './aggregator.ts';
import { type ApiService, apiServicesPrefix, isRemote, type RemoteApiService } from './api-service.ts';
import type { RemoteGroups, RemoteVersion } from './remote-groups.ts';

/** Options for {@link Aggregation}. */
export interface AggregationOptions {
  readonly storage: Storage;
  readonly read: ReadObject;
  readonly clock: Clock;
  /** Handles this server's own requests, which write the status of APIServices. */
  readonly handle: ApiHandler;
  /** Returns the certificate that identifies this server to other servers. Called for the first remote APIService. */
  readonly clientCertificate: () => Promise<KeyPair | undefined>;
  readonly onError: (error: unknown) => void;
  /** Opens connections to other servers. @defaultValue this process's own sockets */
  readonly dial?: Dial | undefined;
}

const decoder = new TextDecoder();

/**
 * Forwards requests to the servers behind APIServices. This class only tracks which group versions are remote; the code that
 * talks to other servers is loaded when the first remote group version is added. Mirrors kube-aggregator (1.36).
 */
export class Aggregation implements RemoteGroups, Disposable {
  readonly #options: AggregationOptions;
  /** Remote APIServices by name: `v1.example.com`. */
  readonly #remote = new Map<string, RemoteApiService>();
  #loading: Promise<Aggregator> | undefined;
  #aggregator: Aggregator | undefined;
  #subscription: Disposable | undefined;
  #ended = false;

  constructor(options: AggregationOptions) {
    this.#options = options;
  }

  /**
   * Reads the stored APIServices, then applies each change as soon as it becomes visible, in the same turn of the event
   * loop.
   */
  async start(): Promise<void> {
    this.#subscription = await followStorage(this.#options.storage, {
      prefix: apiServicesPrefix,
      apply: ({ key, current }) => this.#set(key, current),
    });
  }

  /** Handles requests for remote group versions. Must run before the server's own handlers. */
  readonly handler: NonResourceHandler = (context) => {
    if (this.#remote.size === 0) return undefined;
    const [, group, version] = /^\/apis\/([^/]+)\/([^/]+)(?:\/|$)/.exec(context.info.path) ?? [];
    const name = `${version}.${group}`;
    return this.#remote.has(name) ? this.#forward(name, context) : undefined;
  };

  get generation(): number {
    return this.#aggregator?.generation ?? 0;
  }

  versions(): readonly RemoteVersion[] {
    return this.#aggregator?.versions() ?? [];
  }

  openApiPaths(): ReadonlyMap<string, string> {
    return this.#aggregator?.openApiPaths() ?? noPaths;
  }

  async openApiDocument(name: string, context: RequestContext): Promise<ApiResponse> {
    return (await this.#load()).openApiDocument(name, context);
  }

  [Symbol.dispose](): void {
    this.#ended = true;
    this.#subscription?.[Symbol.dispose]();
    this.#aggregator?.[Symbol.dispose]();
  }

  async #forward(name: string, context: RequestContext): Promise<ApiResponse> {
    return (await this.#load()).forward(name, context);
  }

  #set(key: string, stored: StoredObject | undefined): void {
    const name = key.slice(apiServicesPrefix.length);
    // Only APIServices are stored under this prefix.
    const apiService = stored && (JSON.parse(decoder.decode(withRevision(stored))) as ApiService);
    const wasRemote = this.#remote.has(name);
    if (apiService && isRemote(apiService)) {
      this.#remote.set(name, apiService);
      if (this.#aggregator) this.#aggregator.set(apiService);
      else void this.#load().catch(this.#options.onError);
    } else if (wasRemote) {
      this.#remote.delete(name);
      this.#aggregator?.remove(name, apiService);
    }
  }

  #load(): Promise<Aggregator> {
    this.#loading ??= this.#start();
    return this.#loading;
  }

  async #start(): Promise<Aggregator> {
    const { Aggregator: Loaded } = await import('./aggregator.ts');
    const aggregator = new Loaded(this.#options);
    await aggregator.start();
    if (this.#ended) aggregator[Symbol.dispose]();
    else for (const apiService of this.#remote.values()) aggregator.set(apiService);
    this.#aggregator = aggregator;
    return aggregator;
  }
}

const noPaths: ReadonlyMap<string, string> = new Map();
