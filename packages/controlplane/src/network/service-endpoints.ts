import type { ServicePort } from '@kubewright/apimachinery/core/v1';
import type { EndpointSlice } from '@kubewright/apimachinery/discovery/v1';
import type { SocketAddress } from './sockets.ts';

/** An endpoint of one port of a service. */
export interface ServiceEndpoint extends SocketAddress {
  readonly ready: boolean;
  readonly serving: boolean;
  readonly terminating: boolean;
  /** Node of the endpoint, if it has one. */
  readonly node: string | undefined;
}

/** Collects the IPv4 endpoints of a service's port from the service's slices, each address once. */
export function endpointsOf(
  { name = '', protocol = 'TCP' }: ServicePort,
  slices: readonly EndpointSlice[],
): readonly ServiceEndpoint[] {
  const found = new Map<string, ServiceEndpoint>();
  for (const { addressType, ports, endpoints } of slices) {
    const port = ports?.find((one) => (one.name ?? '') === name && (one.protocol ?? 'TCP') === protocol)?.port;
    if (addressType !== 'IPv4' || port === undefined) continue;
    for (const { addresses, conditions = {}, nodeName } of endpoints ?? []) {
      const [host] = addresses;
      if (host === undefined) continue;
      const { ready = true, serving = ready, terminating = false } = conditions;
      const key = `${host}:${port}`;
      // An address in two slices is being moved from one slice to the other.
      if (found.get(key)?.ready) continue;
      found.set(key, { host, port, ready, serving, terminating, node: nodeName });
    }
  }
  return [...found.values()];
}

/**
 * Returns the endpoints that accept new connections: the ready endpoints, or if none is ready, the endpoints that are terminating
 * but still serving. Mirrors `CategorizeEndpoints` of kube-proxy (1.36).
 *
 * @param node - only endpoints on this node count. @defaultValue endpoints on any node
 */
export function usableEndpoints(
  endpoints: readonly ServiceEndpoint[],
  { node }: { readonly node?: string | undefined } = {},
): readonly ServiceEndpoint[] {
  const near = node === undefined ? endpoints : endpoints.filter((endpoint) => endpoint.node === node);
  const ready = near.filter((endpoint) => endpoint.ready);
  return ready.length > 0 ? ready : near.filter(({ serving, terminating }) => serving && terminating);
}
