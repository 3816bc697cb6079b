/** Labels, as on a pod or a namespace. */
type Labels = Readonly<Record<string, string>>;

interface Selector {
  readonly matchLabels?: Labels;
}

interface Peer {
  readonly namespaceSelector?: Selector;
  readonly podSelector?: Selector;
}

/** A policy, as far as our manifests use its fields; others are refused. */
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

/** A pod that is called. */
export interface Target {
  readonly namespace: string;
  readonly labels: Labels;
}

/** Who calls: a pod with its namespace's labels, or something outside of all namespaces, as the API server is. */
export type Caller =
  | { readonly namespace: string; readonly namespaceLabels: Labels; readonly labels: Labels }
  | 'outside';

/**
 * Whether policies let a connection in, by the rules of `networking.k8s.io/v1`: a pod that none selects is open; one that is
 * selected is open to what any rule of any of them names. Ports are those of the pod, after the Service's translation.
 */
export function letsIn(
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
