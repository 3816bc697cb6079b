import type { KubernetesObject } from '@kubewright/apimachinery';
import type { ReadObject } from '../admission/object-reader.ts';
import { storagePrefix } from '../registry/storage-prefix.ts';
import type { Storage } from '../storage/index.ts';

/** Resolves a service to an endpoint. */
export type ResolveService = (service: {
  readonly namespace: string;
  readonly name: string;
  readonly port: number;
}) => Promise<{ readonly host: string; readonly port: number }>;

/** The parts of a Service that determine where its traffic goes. */
export interface Service extends KubernetesObject {
  readonly spec?: {
    readonly type?: string;
    readonly clusterIP?: string;
    readonly externalName?: string;
    readonly ports?: readonly { readonly name?: string; readonly port: number }[];
  };
}

/** The parts of an EndpointSlice that determine its targets. */
export interface EndpointSlice extends KubernetesObject {
  readonly ports?: readonly { readonly name?: string; readonly port?: number }[] | null;
  readonly endpoints?:
    | readonly { readonly addresses?: readonly string[]; readonly conditions?: { readonly ready?: boolean } }[]
    | null;
}

const slicePrefix = storagePrefix({ group: 'discovery.k8s.io', resource: 'endpointslices' });
const decoder = new TextDecoder();

/**
 * Returns a resolver that picks the ready endpoints of a service in turn, because this server cannot reach cluster IPs.
 * External names are returned unchanged. Mirrors `ResolveEndpoint` of k8s.io/apiserver (1.36).
 *
 * @throws Error with upstream's message
 */
export function serviceResolver(options: { readonly storage: Storage; readonly read: ReadObject }): ResolveService {
  let turn = 0;
  return async ({ namespace, name, port }) => {
    const service = (await options.read({ group: '', resource: 'services', namespace, name })) as Service | undefined;
    if (service === undefined) throw new Error(`service ${JSON.stringify(name)} not found`);
    const { type = 'ClusterIP', clusterIP, externalName = '', ports = [] } = service.spec ?? {};
    if (type === 'ExternalName') return { host: externalName, port };
    if (clusterIP === 'None') throw new Error('cannot route to service with ClusterIP "None"');
    const found = ports.find((one) => one.port === port);
    if (found === undefined) throw new Error(`no service port ${port} found for service ${JSON.stringify(name)}`);
    const endpoints = readyEndpoints(await slicesOf(options.storage, { namespace, name }), found.name ?? '');
    const chosen = endpoints[turn++ % Math.max(endpoints.length, 1)];
    if (chosen === undefined) throw new Error(`no endpoints available for service ${JSON.stringify(name)}`);
    return chosen;
  };
}

/** Returns the EndpointSlices of a service. */
export async function slicesOf(
  storage: Storage,
  { namespace, name }: { readonly namespace: string; readonly name: string },
): Promise<readonly EndpointSlice[]> {
  const { objects } = await storage.list({ prefix: `${slicePrefix}${namespace}/` });
  return objects
    .map(({ bytes }) => JSON.parse(decoder.decode(bytes)) as EndpointSlice) // only EndpointSlices have this prefix
    .filter(({ metadata }) => metadata.labels?.['kubernetes.io/service-name'] === name);
}

function readyEndpoints(slices: readonly EndpointSlice[], portName: string) {
  return slices.flatMap(({ ports, endpoints }) => {
    const port = ports?.find((one) => (one.name ?? '') === portName)?.port;
    if (port === undefined) return [];
    return (endpoints ?? []).flatMap(({ addresses = [], conditions }) =>
      addresses[0] !== undefined && conditions?.ready !== false ? [{ host: addresses[0], port }] : [],
    );
  });
}
