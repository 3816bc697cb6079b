import type { Service, ServicePort } from '@kubewright/apimachinery/core/v1';
import type { EndpointSlice } from '@kubewright/apimachinery/discovery/v1';
import { endpointsOf, type ServiceEndpoint } from './service-endpoints.ts';
import type { SocketAddress } from './sockets.ts';
import { type AdmitsClient, sourceFilter } from './source-ranges.ts';

/** Describes how connections to one address of a service are forwarded. */
export interface Route extends SocketAddress {
  readonly protocol: 'TCP' | 'UDP';
  readonly endpoints: readonly ServiceEndpoint[];
  /** Uses only endpoints on this node, or on the client's node. @defaultValue endpoints on any node */
  readonly near: { readonly node: string } | 'client' | undefined;
  /** Time for which a client keeps its endpoint, in milliseconds. @defaultValue each connection may get another endpoint */
  readonly affinityMs: number | undefined;
  /** Returns true for clients that may connect. @defaultValue all clients may */
  readonly admits?: AdmitsClient | undefined;
}

/** The name and address of a node. */
export interface NodeAddress {
  readonly name: string;
  readonly ip: string;
}

const proxyNameLabel = 'service.kubernetes.io/service-proxy-name';
/** Node ports are also open at this address, for clients on this machine. */
const localhost = '127.0.0.1';
const threeHours = 10_800;

/**
 * Returns the routes of a service: its cluster IP, external IPs, load balancer addresses and node ports. Headless services,
 * external names and services of other proxies have none.
 */
export function serviceRoutes(
  { metadata, spec = {}, status }: Service,
  { slices, nodes }: { readonly slices: readonly EndpointSlice[]; readonly nodes: readonly NodeAddress[] },
): readonly Route[] {
  const { type = 'ClusterIP', clusterIP = '', ports = [] } = spec;
  const isHeadless = clusterIP === '' || clusterIP === 'None';
  if (type === 'ExternalName' || isHeadless || metadata.labels?.[proxyNameLabel] !== undefined) return [];
  const { internalTrafficPolicy, externalTrafficPolicy, sessionAffinity, sessionAffinityConfig } = spec;
  const timeoutSeconds = sessionAffinityConfig?.clientIP?.timeoutSeconds ?? threeHours;
  const affinityMs = sessionAffinity === 'ClientIP' ? timeoutSeconds * 1_000 : undefined;
  const inside = internalTrafficPolicy === 'Local' ? ('client' as const) : undefined;
  const isLocal = externalTrafficPolicy === 'Local';
  // With `ipMode: Proxy`, the load balancer itself connects to the service, so its address needs no route.
  const ingress = (status?.loadBalancer?.ingress ?? []).flatMap(({ ip, ipMode = 'VIP' }) =>
    ip === undefined || ipMode !== 'VIP' ? [] : [ip],
  );
  const admits = sourceFilter(spec.loadBalancerSourceRanges ?? []);
  return ports.flatMap((port) => {
    const { protocol = 'TCP' } = port;
    if (protocol !== 'TCP' && protocol !== 'UDP') return [];
    const common = { protocol, endpoints: endpointsOf(port, slices), affinityMs };
    const own = { ...common, port: port.port, host: clusterIP, near: inside };
    const external = (spec.externalIPs ?? []).map((host) => ({ ...own, host, near: undefined }));
    const balanced = ingress.map((host) => ({ ...own, host, near: undefined, admits }));
    return [own, ...external, ...balanced, ...nodePortRoutes(port, { common, nodes, isLocal })];
  });
}

function nodePortRoutes(
  { nodePort = 0 }: ServicePort,
  parts: {
    readonly common: Pick<Route, 'protocol' | 'endpoints' | 'affinityMs'>;
    readonly nodes: readonly NodeAddress[];
    readonly isLocal: boolean;
  },
): readonly Route[] {
  if (nodePort === 0) return [];
  const { common, nodes, isLocal } = parts;
  const onMachine: Route = { ...common, host: localhost, port: nodePort, near: undefined };
  const onNodes = nodes.map(({ name, ip }): Route => {
    return { ...common, host: ip, port: nodePort, near: isLocal ? { node: name } : undefined };
  });
  return [onMachine, ...onNodes];
}
