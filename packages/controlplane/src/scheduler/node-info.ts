import { Quantity } from '@kubewright/apimachinery';
import type { Node, Pod, PodSpec } from '@kubewright/apimachinery/core/v1';

/** Amounts by resource name: `cpu`, `memory`, `pods` and extended resources. */
export type Resources = ReadonlyMap<string, Quantity>;

/** A host port that a pod uses on its node. */
export interface HostPort {
  readonly ip: string;
  readonly port: number;
  readonly protocol: string;
}

/** A node's capacity and the requests of its pods, in the form that the filters need. */
export interface NodeInfo {
  readonly node: Node;
  readonly allocatable: Resources;
  readonly requested: Resources;
  readonly hostPorts: readonly HostPort[];
}

/** Summarizes a node and the pods on it, ignoring finished pods. */
export function nodeInfo(node: Node, pods: readonly Pod[]): NodeInfo {
  const requested = new Map<string, Quantity>();
  const hostPorts: HostPort[] = [];
  for (const pod of pods) {
    if (pod.status?.phase === 'Succeeded' || pod.status?.phase === 'Failed') continue;
    for (const [name, amount] of podRequests(pod.spec)) add(requested, name, amount);
    hostPorts.push(...podHostPorts(pod.spec));
  }
  const allocatable = quantities(node.status?.allocatable);
  return { node, allocatable, requested, hostPorts };
}

/**
 * Returns a pod's requests: the larger of its containers' sum and its init containers' peak, plus overhead, and one of `pods`.
 * Restartable init containers run alongside the others and count towards both.
 */
export function podRequests(spec: PodSpec | undefined): Resources {
  const total = new Map<string, Quantity>();
  for (const { resources } of spec?.containers ?? []) addAll(total, quantities(resources?.requests));
  const sidecars = new Map<string, Quantity>();
  const initPeak = new Map<string, Quantity>();
  for (const { resources, restartPolicy } of spec?.initContainers ?? []) {
    const requests = quantities(resources?.requests);
    if (restartPolicy === 'Always') {
      addAll(sidecars, requests);
      addAll(total, requests);
      raise(initPeak, sidecars);
    } else {
      const together = new Map(sidecars);
      addAll(together, requests);
      raise(initPeak, together);
    }
  }
  raise(total, initPeak);
  addAll(total, quantities(spec?.overhead));
  total.set('pods', Quantity.parse('1'));
  return total;
}

/** Returns the host ports that a pod uses. */
export function podHostPorts(spec: PodSpec | undefined): readonly HostPort[] {
  return (spec?.containers ?? []).flatMap(({ ports }) =>
    (ports ?? [])
      .filter(({ hostPort }) => (hostPort ?? 0) > 0)
      .map(({ hostPort, hostIP, protocol }) => ({
        ip: hostIP || '0.0.0.0',
        port: hostPort ?? 0,
        protocol: protocol ?? 'TCP',
      })),
  );
}

function quantities(list: Readonly<Record<string, string | number>> | undefined): Resources {
  return new Map(Object.entries(list ?? {}).map(([name, text]) => [name, Quantity.parse(String(text))]));
}

function add(into: Map<string, Quantity>, name: string, amount: Quantity): void {
  into.set(name, (into.get(name) ?? Quantity.zero).add(amount));
}

function addAll(into: Map<string, Quantity>, amounts: Resources): void {
  for (const [name, amount] of amounts) add(into, name, amount);
}

function raise(into: Map<string, Quantity>, amounts: Resources): void {
  for (const [name, amount] of amounts) {
    const present = into.get(name);
    if (!present || present.compare(amount) < 0) into.set(name, amount);
  }
}
