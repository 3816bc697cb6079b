import type { Stored } from '@kubewright/apimachinery';
import type { EndpointAddress, EndpointPort, EndpointSubset, Pod, Service } from '@kubewright/apimachinery/core/v1';
import type { EndpointPort as SlicePort } from '@kubewright/apimachinery/discovery/v1';
import { defined } from '@kubewright/apimachinery/internal';
import { endpointOf, isEndpoint, portsOf } from '../endpoint-slice/endpoint.ts';
import { canonicalJson } from '../template-hash.ts';

/** The maximum number of addresses in one object; further addresses are dropped. */
const maxAddresses = 1_000;

interface Subset {
  readonly ports: readonly EndpointPort[];
  readonly ready: EndpointAddress[];
  readonly notReady: EndpointAddress[];
}

/** Computes the subsets of a service's Endpoints, in a fixed order. Pods are grouped by ports, and split by readiness. Pure. */
export function subsetsOf(service: Service, pods: readonly Stored<Pod>[]): readonly EndpointSubset[] {
  const family = service.spec?.ipFamilies?.[0] === 'IPv6' ? 'IPv6' : 'IPv4';
  const subsets = new Map<string, Subset>();
  for (const pod of inOrder(pods).slice(0, maxAddresses)) {
    const endpoint = endpointOf(pod, { service, family, zone: undefined });
    const [ip] = endpoint?.addresses ?? [];
    if (!endpoint || ip === undefined) continue;
    const ports = inPortOrder(portsOf(service, pod));
    // A pod that has none of the service's ports is not an endpoint, unless the service has no ports.
    if (ports.length === 0 && (service.spec?.ports ?? []).length > 0) continue;
    const key = canonicalJson(ports);
    const subset = subsets.get(key) ?? { ports, ready: [], notReady: [] };
    const { hostname, nodeName, targetRef } = endpoint;
    const address: EndpointAddress = {
      ip,
      ...defined({ hostname, nodeName, targetRef }),
    };
    (endpoint.conditions?.ready ? subset.ready : subset.notReady).push(address);
    subsets.set(key, subset);
  }
  return [...subsets]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, { ports, ready, notReady }]) => ({
      ...(ready.length > 0 && { addresses: ready }),
      ...(notReady.length > 0 && { notReadyAddresses: notReady }),
      ...(ports.length > 0 && { ports }),
    }));
}

/** True if a service has more pods than one object may hold. */
export function isOverCapacity(pods: readonly Pod[]): boolean {
  return pods.length > maxAddresses;
}

/**
 * Returns the pods that a service's Endpoints object lists. Terminating pods are included only if the service publishes not-ready
 * addresses.
 */
export function endpointPods(service: Service, pods: readonly Stored<Pod>[]): readonly Stored<Pod>[] {
  const all = service.spec?.publishNotReadyAddresses === true;
  return pods.filter((pod) => isEndpoint(pod) && (all || !pod.metadata.deletionTimestamp));
}

function inOrder(pods: readonly Stored<Pod>[]): readonly Stored<Pod>[] {
  const key = ({ status, metadata }: Stored<Pod>): string => `${status?.podIP ?? ''}/${metadata.uid}`;
  return [...pods].sort((a, b) => (key(a) < key(b) ? -1 : 1));
}

function inPortOrder(ports: readonly SlicePort[]): readonly EndpointPort[] {
  return ports
    .map(({ name, port = 0, ...rest }) => ({ ...(name && { name }), port, ...rest }))
    .sort((a, b) => (canonicalJson(a) < canonicalJson(b) ? -1 : 1));
}
