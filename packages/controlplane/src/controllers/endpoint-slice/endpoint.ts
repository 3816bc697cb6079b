import { isDeleting, type Stored } from '@kubewright/apimachinery';
import type { Container, Pod, Service, ServicePort } from '@kubewright/apimachinery/core/v1';
import type { Endpoint, EndpointPort } from '@kubewright/apimachinery/discovery/v1';
import { defined } from '@kubewright/apimachinery/internal';
import { isPodEnded, isPodReady } from '../pods/pod-state.ts';

/** The supported address families. */
export type AddressType = 'IPv4' | 'IPv6';

const tolerateAnnotation = 'service.alpha.kubernetes.io/tolerate-unready-endpoints';

/** True if a pod can be an endpoint: it has an address and has not finished. */
export function isEndpoint(pod: Pod): boolean {
  return !isPodEnded(pod) && Boolean(pod.status?.podIP || pod.status?.podIPs?.length);
}

/** Builds a service's endpoint for a pod, or returns undefined if the pod has no address of this family. */
export function endpointOf(
  pod: Stored<Pod>,
  {
    service,
    family,
    zone,
  }: { readonly service: Service; readonly family: AddressType; readonly zone: string | undefined },
): Endpoint | undefined {
  const ips = pod.status?.podIPs?.map(({ ip }) => ip) ?? (pod.status?.podIP ? [pod.status.podIP] : []);
  const addresses = ips.filter(
    (ip): ip is string => ip !== undefined && (ip.includes(':') ? 'IPv6' : 'IPv4') === family,
  );
  if (addresses.length === 0) return undefined;
  const { namespace, name, uid } = pod.metadata;
  const { hostname, subdomain, nodeName } = pod.spec ?? {};
  const serving = isPodReady(pod);
  const terminating = isDeleting(pod);
  const ready = publishesNotReady(service) || (serving && !terminating);
  const named = hostname && subdomain === service.metadata.name && namespace === service.metadata.namespace;
  return {
    addresses,
    conditions: { ready, serving, terminating },
    ...(named && { hostname }),
    ...(nodeName && { nodeName }),
    ...defined({ zone }),
    targetRef: { kind: 'Pod', namespace, name, uid },
  };
}

/**
 * Resolves a service's ports to port numbers of a pod. A named target port is looked up in the pod's containers, and
 * left out if it is not found.
 */
export function portsOf(service: Service, pod: Pod): readonly EndpointPort[] {
  const { ports = [], clusterIP } = service.spec ?? {};
  // A headless service may have no ports; it then publishes addresses only.
  if (ports.length === 0 && clusterIP === 'None') return [];
  return ports.flatMap((port) => {
    const number = targetPort(port, pod);
    if (number === undefined) return [];
    const { name = '', protocol = 'TCP', appProtocol } = port;
    return [{ name, port: number, protocol, ...defined({ appProtocol }) }];
  });
}

function targetPort({ targetPort: target, port, protocol = 'TCP' }: ServicePort, pod: Pod): number | undefined {
  if (target === undefined || target === 0 || target === '') return port;
  if (typeof target === 'number') return target;
  const sidecars = (pod.spec?.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === 'Always');
  const containers: readonly Container[] = [...(pod.spec?.containers ?? []), ...sidecars];
  const found = containers
    .flatMap(({ ports = [] }) => ports)
    .find((each) => each.name === target && (each.protocol ?? 'TCP') === protocol);
  return found?.containerPort;
}

function publishesNotReady({ spec, metadata }: Service): boolean {
  return spec?.publishNotReadyAddresses === true || metadata.annotations?.[tolerateAnnotation] === 'true';
}
