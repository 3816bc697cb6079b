import { LabelSelector, type Stored } from '@kubewright/apimachinery';
import type { Pod, PodAffinityTerm, WeightedPodAffinityTerm } from '@kubewright/apimachinery/core/v1';

/** Labels of an object. */
export type Labels = Readonly<Record<string, string>>;

/** The properties of a pod that affinity terms are matched against. */
export interface MatchedPod {
  readonly namespace: string;
  readonly labels: Labels;
}

/** An affinity term with its selectors parsed. */
export interface AffinityTerm {
  /** Identifies the term: equal terms have equal keys. */
  readonly key: string;
  readonly namespaces: ReadonlySet<string>;
  readonly namespaceSelector: LabelSelector;
  readonly selector: LabelSelector;
  readonly topologyKey: string;
}

/** A preferred affinity term and its weight. */
export interface WeightedAffinityTerm extends AffinityTerm {
  readonly weight: number;
}

/** The affinity and anti-affinity terms of a pod. */
export interface AffinityTerms {
  readonly required: readonly AffinityTerm[];
  readonly requiredAnti: readonly AffinityTerm[];
  readonly preferred: readonly WeightedAffinityTerm[];
  readonly preferredAnti: readonly WeightedAffinityTerm[];
}

const none: AffinityTerms = { required: [], requiredAnti: [], preferred: [], preferredAnti: [] };

/** Parses a pod's affinity terms. */
export function affinityTerms(pod: Stored<Pod>): AffinityTerms {
  const { podAffinity, podAntiAffinity } = pod.spec?.affinity ?? {};
  if (!podAffinity && !podAntiAffinity) return none;
  const plain = (terms: readonly PodAffinityTerm[] | undefined) => (terms ?? []).map((term) => termOf(pod, term));
  const weighted = (terms: readonly WeightedPodAffinityTerm[] | undefined) =>
    (terms ?? []).map(({ podAffinityTerm, weight }) => ({ ...termOf(pod, podAffinityTerm), weight }));
  return {
    required: plain(podAffinity?.requiredDuringSchedulingIgnoredDuringExecution),
    requiredAnti: plain(podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution),
    preferred: weighted(podAffinity?.preferredDuringSchedulingIgnoredDuringExecution),
    preferredAnti: weighted(podAntiAffinity?.preferredDuringSchedulingIgnoredDuringExecution),
  };
}

function termOf(pod: Stored<Pod>, term: PodAffinityTerm): AffinityTerm {
  const ownOnly = !term.namespaces?.length && term.namespaceSelector === undefined;
  const namespaces = ownOnly ? [pod.metadata.namespace] : [...(term.namespaces ?? [])].sort();
  return keyed({
    namespaces: new Set(namespaces),
    namespaceSelector: LabelSelector.ofObject(term.namespaceSelector),
    selector: LabelSelector.ofObject(term.labelSelector),
    topologyKey: term.topologyKey,
  });
}

function keyed(term: Omit<AffinityTerm, 'key'>): AffinityTerm {
  const of = (selector: LabelSelector): string => (selector.isNothing ? 'nothing' : `{${selector}}`);
  const { namespaces, namespaceSelector, selector, topologyKey } = term;
  const parts = [topologyKey, [...namespaces].sort().join(','), of(namespaceSelector), of(selector)];
  return { ...term, key: parts.join(' ') };
}

/**
 * True if a term selects a pod. Without `namespaceLabels`, the term's namespace selector matches nothing, so only the
 * namespaces that the term lists count.
 */
export function termMatches(term: AffinityTerm, pod: MatchedPod, namespaceLabels: Labels | undefined): boolean {
  const inNamespace = term.namespaces.has(pod.namespace) || term.namespaceSelector.matches(namespaceLabels);
  return inNamespace && term.selector.matches(pod.labels);
}

/**
 * True if there is at least one term and every term selects the pod. Namespace selectors are ignored; only listed namespaces
 * match.
 */
export function matchesAllTerms(terms: readonly AffinityTerm[], pod: MatchedPod): boolean {
  return terms.length > 0 && terms.every((term) => termMatches(term, pod, undefined));
}

/**
 * Replaces a term's namespace selector with the namespaces that it selects now. An empty selector is kept: it selects every
 * namespace.
 */
export function withNamespaces<T extends AffinityTerm>(
  term: T,
  namespacesMatching: (selector: LabelSelector) => readonly string[],
): T {
  if (term.namespaceSelector.isEmpty || term.namespaceSelector.isNothing) return term;
  const namespaces = new Set([...term.namespaces, ...namespacesMatching(term.namespaceSelector)]);
  return { ...term, ...keyed({ ...term, namespaces, namespaceSelector: LabelSelector.nothing }) };
}
