import { apiVersionOf, type Clock, StatusError, systemClock } from '@kubewright/apimachinery';
import { TransportError } from '../transport/transport-error.ts';
import { expectManyListeners, untilAborted } from '../until-aborted.ts';
import type { ApiGroup, ApiGroupVersion } from './api-resource.ts';
import { decodeAggregated, decodeLegacy, isAggregated, type LegacyResourceList } from './decode-discovery.ts';
import { RestMapper } from './rest-mapper.ts';

/**
 * The header that current clients send: requests aggregated discovery, newest version first, with the legacy form as a
 * fallback.
 */
const acceptHeader = [
  'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList',
  'application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList',
  'application/json',
].join(',');

/**
 * Timeout of one discovery, as in client-go. Callers share a discovery, so the signal of one caller must not end it.
 */
const timeoutMs = 32_000;

/** Reads one path as JSON through the client's own request pipeline. */
export type JsonReader = (
  path: string,
  options: { readonly accept?: string | undefined; readonly signal?: AbortSignal | undefined },
) => Promise<unknown>;

/** Reads a path within the timeout of one discovery. */
type Read = (path: string, accept?: string) => Promise<unknown>;

/** The version of the server, as returned by `/version`. */
export interface ServerVersion {
  readonly major: string;
  readonly minor: string;
  /** A version such as `v1.36.3`. */
  readonly gitVersion: string;
  readonly [field: string]: unknown;
}

/**
 * Discovers the resources that the server serves.
 *
 * The result is cached until {@link DiscoveryClient.invalidate}; concurrent calls share one discovery. Aggregated discovery (two
 * requests) is tried first; servers without it are read group by group. A group whose server does not respond is
 * reported as stale, and does not affect other groups.
 *
 * @example
 * ```ts
 * async function pluralsOf(discovery: DiscoveryClient, name: string): Promise<readonly string[]> {
 *   const groups = await discovery.groups();
 *   const versions = groups.find((group) => group.name === name)?.versions ?? [];
 *   return versions.flatMap(({ resources }) => resources.map(({ plural }) => plural));
 * }
 * const plurals = await pluralsOf(client.discovery, 'apps');
 * ```
 */
export class DiscoveryClient {
  readonly #readPath: JsonReader;
  readonly #clock: Clock;
  #groups: Promise<readonly ApiGroup[]> | undefined;
  #mapper: Promise<RestMapper> | undefined;

  constructor(read: JsonReader, options: { readonly clock?: Clock } = {}) {
    this.#readPath = read;
    this.#clock = options.clock ?? systemClock;
  }

  /** Returns all groups, the core group first. */
  groups(options: { readonly signal?: AbortSignal } = {}): Promise<readonly ApiGroup[]> {
    if (this.#groups) return untilAborted(this.#groups, options.signal);
    const reading = this.#readAll();
    this.#groups = reading;
    reading.catch(() => {
      // The waiting callers get the failure; it is not cached for later callers.
      if (this.#groups === reading) this.invalidate();
    });
    return untilAborted(reading, options.signal);
  }

  /**
   * Returns a mapper that finds kinds and resources by name. The mapper is built from {@link DiscoveryClient.groups}
   * and cached for as long.
   */
  mapper(options: { readonly signal?: AbortSignal } = {}): Promise<RestMapper> {
    this.#mapper ??= this.groups().then((groups) => new RestMapper(groups));
    return untilAborted(this.#mapper, options.signal);
  }

  /** Requests the server's version (`/version`); never cached. */
  async serverVersion(options: { readonly signal?: AbortSignal } = {}): Promise<ServerVersion> {
    return (await this.#readPath('/version', options)) as ServerVersion;
  }

  /** Clears the cache. Call it after a kind was installed, or when a lookup finds nothing. */
  invalidate(): void {
    this.#groups = undefined;
    this.#mapper = undefined;
  }

  async #readAll(): Promise<readonly ApiGroup[]> {
    const stop = new AbortController();
    expectManyListeners(stop.signal);
    const timer = this.#clock.setTimer(timeoutMs, () => {
      const text = { what: 'API discovery failed', why: `no response within ${timeoutMs / 1000} s` };
      stop.abort(new TransportError('KW2003', text, { retryable: true }));
    });
    const read: Read = (path, accept) => this.#readPath(path, { signal: stop.signal, accept });
    try {
      return await untilAborted(this.#readWith(read), stop.signal);
    } finally {
      timer[Symbol.dispose]();
    }
  }

  async #readWith(read: Read): Promise<readonly ApiGroup[]> {
    const [core, named] = await Promise.all([read('/api', acceptHeader), read('/apis', acceptHeader)]);
    const first = isAggregated(core) ? decodeAggregated(core) : await this.#readCore(core, read);
    const rest = isAggregated(named) ? decodeAggregated(named) : await this.#readNamed(named, read);
    return [...first, ...rest];
  }

  async #readCore(document: unknown, read: Read): Promise<ApiGroup[]> {
    const { versions = [] } = document as { readonly versions?: readonly string[] };
    return [
      {
        name: '',
        versions: await Promise.all(versions.map((version) => this.#readVersion({ group: '', version }, read))),
      },
    ];
  }

  async #readNamed(document: unknown, read: Read): Promise<ApiGroup[]> {
    interface LegacyGroup {
      readonly name: string;
      readonly versions?: readonly { readonly version: string }[];
      readonly preferredVersion?: { readonly version?: string };
    }
    const { groups = [] } = document as { readonly groups?: readonly LegacyGroup[] };
    return Promise.all(
      groups.map(async ({ name, versions = [], preferredVersion }) => {
        const order = versions.map((entry) => entry.version);
        const preferred = preferredVersion?.version;
        if (preferred !== undefined && order.includes(preferred)) {
          order.splice(order.indexOf(preferred), 1);
          order.unshift(preferred);
        }
        return {
          name,
          versions: await Promise.all(order.map((version) => this.#readVersion({ group: name, version }, read))),
        };
      }),
    );
  }

  async #readVersion(
    { group, version }: { readonly group: string; readonly version: string },
    read: Read,
  ): Promise<ApiGroupVersion> {
    const apiVersion = apiVersionOf({ group, version });
    try {
      const list = await read(group === '' ? `/api/${version}` : `/apis/${apiVersion}`);
      return decodeLegacy(list as LegacyResourceList, apiVersion);
    } catch (error) {
      if (error instanceof StatusError) return { version, stale: true, resources: [] };
      throw error;
    }
  }
}
