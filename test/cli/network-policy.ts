/** Labels of a pod or a namespace. */
type Labels = Readonly<Record<string, string>>;

interface Selector {
  readonly matchLabels?: Labels;
}

interface Peer {
  readonly namespaceSelector?: Selector;
  readonly podSelector?: Selector;
}

/** A policy with the fields that our manifests use; other fields are rejected. */
export interface NetworkPolicy {
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly spec: {
    readonly podSelector: Selector;
    readonly policyTypes: readonly string[];
    readonly ingress?: readonly {
      readonly from?: readonly Peer[];
      readonly ports?: readonly { readonly port: number; readonly protocol?: string }[];
    }[];
  };
}

/** The pod that receives the connection. */
export interface Target {
  readonly namespace: string;
  readonly labels: Labels;
}

/** The source of a connection: a pod, or a client outside of the pod network, such as the API server. */
export type Caller =
  | { readonly namespace: string; readonly namespaceLabels: Labels; readonly labels: Labels }
  | 'outside';

/**
 * Reports whether the policies allow a connection, following the rules of `networking.k8s.io/v1`. A pod that no policy selects
 * accepts all connections. A selected pod accepts a connection if any rule of its policies allows it. Ports are the
 * pod's ports, after the Service's translation.
 */
export function allowsConnection(
  policies: readonly NetworkPolicy[],
  { from, to, port }: { readonly from: Caller; readonly to: Target; readonly port: number },
): boolean {
  const judging = policies.filter(
    ({ metadata, spec }) =>
      metadata.namespace === to.namespace &&
      spec.policyTypes.includes('Ingress') &&
      matches(spec.podSelector, to.labels),
  );
  if (judging.length === 0) return true;
  return judging.some(({ metadata, spec }) =>
    (spec.ingress ?? []).some(
      ({ from: peers, ports }) =>
        (!peers || peers.some((peer) => isPeer(peer, { from, namespace: metadata.namespace ?? '' }))) &&
        (!ports || ports.some((each) => each.port === port && (each.protocol ?? 'TCP') === 'TCP')),
    ),
  );
}

function isPeer(peer: Peer, { from, namespace }: { readonly from: Caller; readonly namespace: string }): boolean {
  const unknown = Object.keys(peer).filter((key) => key !== 'namespaceSelector' && key !== 'podSelector');
  if (unknown.length > 0) throw new Error(`the evaluator does not know ${unknown.join(', ')} of a peer`);
  if (from === 'outside') return false;
  const inNamespace = peer.namespaceSelector
    ? matches(peer.namespaceSelector, from.namespaceLabels)
    : from.namespace === namespace;
  return inNamespace && (!peer.podSelector || matches(peer.podSelector, from.labels));
}

function matches(selector: Selector, labels: Labels): boolean {
  const unknown = Object.keys(selector).filter((key) => key !== 'matchLabels');
  if (unknown.length > 0) throw new Error(`the evaluator does not know ${unknown.join(', ')} of a selector`);
  return Object.entries(selector.matchLabels ?? {}).every(([key, value]) => labels[key] === value);
}
