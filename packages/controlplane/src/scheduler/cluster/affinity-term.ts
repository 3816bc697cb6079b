import { LabelSelector, type Stored } from '@kubewright/apimachinery';
import type { Pod, PodAffinityTerm, WeightedPodAffinityTerm } from '@kubewright/apimachinery/core/v1';

/** Labels of an object. */
export type Labels = Readonly<Record<string, string>>;

/** The part of a pod that affinity terms match. */
export interface MatchedPod {
  readonly namespace: string;
  readonly labels: Labels;
}

/** An affinity term with its selectors parsed. */
export interface AffinityTerm {
  /** Equal for equal terms. */
  readonly key: string;
  readonly namespaces: ReadonlySet<string>;
  readonly namespaceSelector: LabelSelector;
  readonly selector: LabelSelector;
  readonly topologyKey: string;
}

/** An affinity term of a preference. */
export interface WeightedAffinityTerm extends AffinityTerm {
  readonly weight: number;
}

/** The affinity terms of a pod. */
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

/** True if a term selects a pod whose namespace has these labels; without labels, only named namespaces match. */
export function termMatches(term: AffinityTerm, pod: MatchedPod, namespaceLabels: Labels | undefined): boolean {
  const inNamespace = term.namespaces.has(pod.namespace) || term.namespaceSelector.matches(namespaceLabels);
  return inNamespace && term.selector.matches(pod.labels);
}

/** True if there are terms and all select the pod, in the namespaces that they name. */
export function matchesAllTerms(terms: readonly AffinityTerm[], pod: MatchedPod): boolean {
  return terms.length > 0 && terms.every((term) => termMatches(term, pod, undefined));
}

/** Replaces a term's namespace selector by the namespaces that it selects now. An empty selector selects all of them anyway. */
export function withNamespaces<T extends AffinityTerm>(
  term: T,
  namespacesMatching: (selector: LabelSelector) => readonly string[],
): T {
  if (term.namespaceSelector.isEmpty || term.namespaceSelector.isNothing) return term;
  const namespaces = new Set([...term.namespaces, ...namespacesMatching(term.namespaceSelector)]);
  return { ...term, ...keyed({ ...term, namespaces, namespaceSelector: LabelSelector.nothing }) };
}
