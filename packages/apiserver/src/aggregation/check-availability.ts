import type { Clock } from '@kubewright/apimachinery';
import type { ReadObject } from '../admission/object-reader.ts';
import type { Storage } from '../storage/index.ts';
import { type EndpointSlice, type Service, slicesOf } from '../webhooks/service-resolver.ts';
import { type AvailableCondition, pathName, type RemoteApiService } from './api-service.ts';
import type { Backend } from './backend.ts';
import { fetchFromBackend } from './fetch-from-backend.ts';

/** The availability of an APIService. */
export type Availability = Required<Pick<AvailableCondition, 'status' | 'reason' | 'message'>>;

/** Dependencies of {@link checkAvailability}. */
export interface AvailabilityParts {
  readonly storage: Storage;
  readonly read: ReadObject;
  readonly clock: Clock;
  readonly backend: Backend;
}

/** The condition of an APIService that this server serves itself. */
export const localAvailability: Availability = {
  status: 'True',
  reason: 'Local',
  message: 'Local APIServices are always available',
};

const responseMs = 5_000;
/** The number of parallel retries after a failure, each to the next endpoint. One successful response is enough. */
const furtherAttempts = 4;

/**
 * Checks whether the server behind an APIService is available: its Service, endpoints, and discovery document. Mirrors the remote
 * availability controller of kube-aggregator (1.36), including its messages.
 */
export async function checkAvailability(apiService: RemoteApiService, parts: AvailabilityParts): Promise<Availability> {
  const { service } = apiService.spec;
  const found = await parts.read({ group: '', resource: 'services', namespace: service.namespace, name: service.name });
  const place = `service/${service.name} in ${JSON.stringify(service.namespace)}`;
  if (found === undefined) return no('ServiceNotFound', `${place} is not present`);
  const { type = 'ClusterIP', ports = [] } = (found as Service).spec ?? {};
  if (type === 'ClusterIP') {
    const port = ports.find((one) => one.port === service.port);
    if (port === undefined) return no('ServicePortError', `${place} is not listening on port ${service.port}`);
    const slices = await slicesOf(parts.storage, service);
    if (slices.length === 0) return no('EndpointsNotFound', `cannot find endpointslices for ${place}`);
    const { name = '' } = port;
    if (!slices.some((slice) => hasReadyEndpoint(slice, name))) {
      const what = `endpointslices for ${place} have no addresses with port name ${JSON.stringify(name)}`;
      return no('MissingEndpoints', what);
    }
  }
  const fault = await discoveryFault(`/${pathName(apiService)}`, parts);
  if (fault !== undefined) return no('FailedDiscoveryCheck', fault);
  return { status: 'True', reason: 'Passed', message: 'all checks passed' };
}

function no(reason: string, message: string): Availability {
  return { status: 'False', reason, message };
}

function hasReadyEndpoint({ endpoints, ports }: EndpointSlice, portName: string): boolean {
  const isReady = (endpoints ?? []).some(({ conditions }) => conditions?.ready !== false);
  return isReady && (ports ?? []).some(({ name = '', port }) => name === portName && port !== undefined);
}

async function discoveryFault(path: string, parts: AvailabilityParts): Promise<string | undefined> {
  const first = await attempt(path, parts);
  if (first === undefined) return undefined;
  const further = await Promise.all(Array.from({ length: furtherAttempts }, () => attempt(path, parts)));
  return further.includes(undefined) ? undefined : first;
}

async function attempt(path: string, { backend, clock }: AvailabilityParts): Promise<string | undefined> {
  let url = '';
  try {
    const to = await backend.endpoint();
    url = to.url + path;
    const { status } = await fetchFromBackend(backend, {
      path,
      accept: 'application/json',
      to,
      withinMs: responseMs,
      clock,
    });
    if (status >= 200 && status < 300) return undefined;
    return `failing or missing response from ${url}: bad status from ${url}: ${status}`;
  } catch (error) {
    const { message } = error as Error;
    return url === '' ? message : `failing or missing response from ${url}: Get ${JSON.stringify(url)}: ${message}`;
  }
}
