import { LabelSelector } from '@kubewright/apimachinery';
import type { Namespace, Pod } from '@kubewright/apimachinery/core/v1';
import type { NetworkPolicy, NetworkPolicyPeer, NetworkPolicyPort } from '@kubewright/apimachinery/networking/v1';
import type { AddressBlock, Allowance, PortRange, TrafficRules } from './traffic-rules.ts';

/** The properties of a pod that NetworkPolicies depend on. */
export interface PolicyPod {
  readonly namespace: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly ip: string;
  /** Container ports with names. */
  readonly namedPorts: readonly { readonly name: string; readonly port: number; readonly protocol: string }[];
}

/** The objects on which the rules of a pod depend. */
export interface PolicyWorld {
  policies(namespace: string): readonly NetworkPolicy[];
  /** Pods that have an address other than their node's. */
  pods(namespace: string): readonly PolicyPod[];
  namespaces(): readonly Namespace[];
}

/**
 * Converts a pod; returns `undefined` if policies do not apply to the pod, because it has ended or shares the node's
 * address.
 */
export function policyPodOf({ metadata, spec, status }: Pod): PolicyPod | undefined {
  const { namespace = '', labels = {} } = metadata;
  const { podIP, phase } = status ?? {};
  if (spec?.hostNetwork || !podIP || phase === 'Succeeded' || phase === 'Failed') return undefined;
  const namedPorts = (spec?.containers ?? []).flatMap(({ ports }) =>
    (ports ?? []).flatMap(({ name, containerPort: port, protocol = 'TCP' }) =>
      name === undefined ? [] : [{ name, port, protocol }],
    ),
  );
  return { namespace, labels, ip: podIP, namedPorts };
}

/** Returns the traffic that policies allow a pod: the union of what each policy in its namespace allows. */
export function trafficOf(pod: PolicyPod, world: PolicyWorld): TrafficRules {
  const policies = world.policies(pod.namespace).filter((policy) => selects(policy, pod));
  const ingress = policies.filter((policy) => restricts(policy, 'Ingress'));
  const egress = policies.filter((policy) => restricts(policy, 'Egress'));
  return {
    ingress: ingress.length === 0 ? undefined : ingress.flatMap((policy) => ingressOf(policy, { pod, world })),
    egress: egress.length === 0 ? undefined : egress.flatMap((policy) => egressOf(policy, world)),
  };
}

/** Returns true if the policy selects the pod, which must be in the policy's namespace. */
export function selects({ spec }: NetworkPolicy, { labels }: Pick<PolicyPod, 'labels'>): boolean {
  return LabelSelector.ofObject(spec?.podSelector ?? {}).matches(labels);
}

/** Returns true if a rule of the policy selects the pod as a peer by labels. */
export function hasPeer(
  policy: NetworkPolicy,
  { pod, namespaces }: { readonly pod: PolicyPod; readonly namespaces: readonly Namespace[] },
): boolean {
  const { namespace = '' } = policy.metadata;
  return peersIn(policy).some((peer) => !peer.ipBlock && isPeer(peer, { pod, namespace, namespaces }));
}

/** Returns true if the policy depends on the labels of namespaces. */
export function selectsNamespaces(policy: NetworkPolicy): boolean {
  return peersIn(policy).some(({ namespaceSelector }) => namespaceSelector !== undefined);
}

/**
 * Returns all peers of a policy. If an egress rule has a named port and no peers, every pod is a peer, because the port's number
 * depends on the pod.
 */
function peersIn({ spec }: NetworkPolicy): readonly NetworkPolicyPeer[] {
  const anyPod = { namespaceSelector: {} };
  const sources = (spec?.ingress ?? []).flatMap(({ from = [] }) => from);
  const targets = (spec?.egress ?? []).flatMap(({ to = [], ports = [] }) =>
    to.length === 0 && ports.some(({ port }) => typeof port === 'string') ? [anyPod] : to,
  );
  return [...sources, ...targets];
}

function restricts({ spec }: NetworkPolicy, direction: 'Egress' | 'Ingress'): boolean {
  const types = spec?.policyTypes ?? ['Ingress', ...(spec?.egress ? ['Egress'] : [])];
  return types.includes(direction);
}

function ingressOf(
  { metadata, spec }: NetworkPolicy,
  { pod, world }: { readonly pod: PolicyPod; readonly world: PolicyWorld },
): readonly Allowance[] {
  return (spec?.ingress ?? []).map(({ from = [], ports = [] }) => ({
    peers: from.length === 0 ? undefined : blocksOf(from, { namespace: metadata.namespace ?? '', world }),
    ports: ports.length === 0 ? undefined : ports.flatMap((port) => rangesOf(port, pod)),
  }));
}

function egressOf({ metadata, spec }: NetworkPolicy, world: PolicyWorld): readonly Allowance[] {
  const namespace = metadata.namespace ?? '';
  return (spec?.egress ?? []).flatMap(({ to = [], ports = [] }): readonly Allowance[] => {
    const peers = to.length === 0 ? undefined : blocksOf(to, { namespace, world });
    if (ports.length === 0) return [{ peers, ports: undefined }];
    const numbered = ports.filter(({ port }) => typeof port !== 'string').flatMap((port) => rangesOf(port, undefined));
    const named = ports.filter(({ port }) => typeof port === 'string');
    if (named.length === 0) return [{ peers, ports: numbered }];
    // The name may map to a different number in each pod.
    const pods = peerPods(to.length === 0 ? [{ namespaceSelector: {} }] : to, { namespace, world });
    const byPod = pods.map((pod) => ({
      peers: [hostBlock(pod.ip)],
      ports: named.flatMap((port) => rangesOf(port, pod)),
    }));
    return [{ peers, ports: numbered }, ...byPod];
  });
}

function blocksOf(
  peers: readonly NetworkPolicyPeer[],
  from: { readonly namespace: string; readonly world: PolicyWorld },
): readonly AddressBlock[] {
  const blocks = peers.flatMap(({ ipBlock }) =>
    ipBlock === undefined ? [] : [{ cidr: ipBlock.cidr, except: ipBlock.except ?? [] }],
  );
  return [...blocks, ...peerPods(peers, from).map(({ ip }) => hostBlock(ip))];
}

/** Returns the pods that one of the peers selects. */
function peerPods(
  peers: readonly NetworkPolicyPeer[],
  { namespace, world }: { readonly namespace: string; readonly world: PolicyWorld },
): readonly PolicyPod[] {
  const selectors = peers.filter(({ ipBlock }) => ipBlock === undefined);
  const others = selectors.some(({ namespaceSelector }) => namespaceSelector !== undefined);
  const namespaces = others ? world.namespaces() : [];
  const names = new Set([namespace, ...namespaces.map(({ metadata }) => metadata.name ?? '')]);
  return [...names]
    .flatMap((name) => world.pods(name))
    .filter((pod) => selectors.some((peer) => isPeer(peer, { pod, namespace, namespaces })));
}

function isPeer(
  { podSelector, namespaceSelector }: NetworkPolicyPeer,
  {
    pod,
    namespace,
    namespaces,
  }: { readonly pod: PolicyPod; readonly namespace: string; readonly namespaces: readonly Namespace[] },
): boolean {
  if (namespaceSelector === undefined && pod.namespace !== namespace) return false;
  if (namespaceSelector !== undefined) {
    const labels = namespaces.find(({ metadata }) => metadata.name === pod.namespace)?.metadata.labels ?? {};
    if (!LabelSelector.ofObject(namespaceSelector).matches(labels)) return false;
  }
  return LabelSelector.ofObject(podSelector ?? {}).matches(pod.labels);
}

/** Returns the ports of a rule; none if the server has no port of that name. */
function rangesOf(
  { port, endPort, protocol = 'TCP' }: NetworkPolicyPort,
  server: PolicyPod | undefined,
): readonly PortRange[] {
  if (port === undefined) return [{ protocol, ports: undefined }];
  if (typeof port === 'number') return [{ protocol, ports: { from: port, to: endPort ?? port } }];
  return (server?.namedPorts ?? [])
    .filter((each) => each.name === port && each.protocol === protocol)
    .map((each) => ({ protocol, ports: { from: each.port, to: each.port } }));
}

function hostBlock(ip: string): AddressBlock {
  return { cidr: `${ip}/${ip.includes(':') ? 128 : 32}`, except: [] };
}
