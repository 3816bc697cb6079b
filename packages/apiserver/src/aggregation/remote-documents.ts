import { Buffer } from 'node:buffer';
import type { Clock } from '@kubewright/apimachinery';
import { pathName, type RemoteApiService } from './api-service.ts';
import type { Backend } from './backend.ts';
import { type ResourceEntry, resourcesInAggregated, resourcesInLegacy } from './discovery-entry.ts';
import { fetchFromBackend } from './fetch-from-backend.ts';

const aggregatedTypes = ['v2', 'v2beta1']
  .map((version) => `application/json;g=apidiscovery.k8s.io;v=${version};as=APIGroupDiscoveryList`)
  .join(',');
const discoveryMs = 5_000;
const openApiMs = 60_000;

/** The connection to the server. */
interface RemoteParts {
  readonly backend: Backend;
  readonly clock: Clock;
}

/**
 * Fetches a server's resources, from the aggregated discovery document or, if the server has none, from the document of the group
 * version. Mirrors the discovery manager of kube-aggregator (1.36).
 *
 * @throws Error when the server gives no usable response
 */
export async function fetchResources(
  apiService: RemoteApiService,
  { backend, clock }: RemoteParts,
): Promise<readonly ResourceEntry[]> {
  const options = { withinMs: discoveryMs, clock };
  const all = await fetchFromBackend(backend, { ...options, path: '/apis', accept: aggregatedTypes });
  if (all.status === 503) throw new Error('/apis: the server returned status 503');
  if (all.status === 200 && all.contentType.includes('as=APIGroupDiscoveryList')) {
    return resourcesInAggregated(parse(all.body), apiService.spec) ?? [];
  }
  const path = `/${pathName(apiService)}`;
  const one = await fetchFromBackend(backend, { ...options, path, accept: 'application/json' });
  if (one.status !== 200) throw new Error(`${path}: the server returned status ${one.status}`);
  return resourcesInLegacy(parse(one.body));
}

/**
 * Fetches the URL of the OpenAPI document for a server's group version; `undefined` if there is no document.
 *
 * @throws Error when the server gives no usable response
 */
export async function fetchOpenApiPath(
  apiService: RemoteApiService,
  { backend, clock }: RemoteParts,
): Promise<string | undefined> {
  const options = { path: '/openapi/v3', accept: 'application/json', withinMs: openApiMs, clock };
  const { status, body } = await fetchFromBackend(backend, options);
  if (status === 404) return undefined;
  if (status !== 200) throw new Error(`/openapi/v3: the server returned status ${status}`);
  const name = pathName(apiService);
  const { paths } = parse(body) as {
    readonly paths?: Readonly<Record<string, { readonly serverRelativeURL?: unknown }>>;
  };
  const found = typeof paths === 'object' && paths !== null && Object.hasOwn(paths, name) ? paths[name] : undefined;
  if (found === undefined) return undefined;
  // Any other URL would send clients to a different path.
  const url = typeof found?.serverRelativeURL === 'string' ? found.serverRelativeURL : '';
  return /^[?]hash=[\w%.-]*$/.test(url.slice(`/openapi/v3/${name}`.length)) && url.startsWith(`/openapi/v3/${name}?`)
    ? url
    : `/openapi/v3/${name}`;
}

function parse(body: Uint8Array): unknown {
  return JSON.parse(Buffer.from(body).toString('utf8'));
}
