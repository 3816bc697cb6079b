import { type AffinityTerm, termMatches, withNamespaces } from '../cluster/affinity-term.ts';
import type { PendingPod } from '../cluster/pod-info.ts';
import type { ClusterView } from '../framework/cluster-view.ts';
import { maxNodeScore, type NodeScorer } from '../framework/plugin.ts';
import { matchedByAll } from './inter-pod-affinity-filter.ts';

/** Sums of term weights by topology key and value. */
type DomainScores = Map<string, Map<string, number>>;

/** Scores nodes by this pod's preferred terms that match running pods, and by the terms of running pods that match this pod. */
export function interPodAffinityScorer(pod: PendingPod, view: ClusterView): NodeScorer | undefined {
  const { preferred, preferredAnti } = pod.terms;
  if (preferred.length === 0 && preferredAnti.length === 0 && !view.cache.terms.isScored) return undefined;
  const scores: DomainScores = new Map();
  const resolve = <T extends AffinityTerm>(term: T): T => withNamespaces(term, view.objects.namespacesMatching);
  for (const [terms, sign] of [
    [preferred, 1],
    [preferredAnti, -1],
  ] as const) {
    for (const term of terms.map(resolve)) {
      addNodes(scores, view, {
        term,
        weight: sign * term.weight,
        byNode: view.cache.counts.byNode(matchedByAll([term])),
      });
    }
  }
  const namespaceLabels = view.objects.namespaceLabels(pod.namespace);
  for (const use of view.cache.terms.scored) {
    if (termMatches(use.term, pod, namespaceLabels)) addNodes(scores, view, use);
  }
  if (scores.size === 0) return undefined;
  return {
    score({ labels }) {
      let score = 0;
      for (const [key, values] of scores) {
        if (Object.hasOwn(labels, key)) score += values.get(labels[key] ?? '') ?? 0;
      }
      return score;
    },
    normalize: stretch,
  };
}

function addNodes(
  scores: DomainScores,
  view: ClusterView,
  use: { readonly term: AffinityTerm; readonly weight: number; readonly byNode: ReadonlyMap<string, number> },
): void {
  const { topologyKey } = use.term;
  for (const [name, count] of use.byNode) {
    const labels = view.cache.node(name)?.labels;
    if (!labels || !Object.hasOwn(labels, topologyKey)) continue;
    const values = scores.get(topologyKey) ?? new Map<string, number>();
    scores.set(topologyKey, values);
    const value = labels[topologyKey] ?? '';
    values.set(value, (values.get(value) ?? 0) + use.weight * count);
  }
}

/** Stretches scores in place, so that the lowest becomes 0 and the highest 100. */
function stretch(scores: number[]): void {
  let least = Number.POSITIVE_INFINITY;
  let most = Number.NEGATIVE_INFINITY;
  for (const score of scores) {
    if (score < least) least = score;
    if (score > most) most = score;
  }
  const range = most - least;
  for (let i = 0; i < scores.length; i++) {
    scores[i] = range > 0 ? Math.trunc(maxNodeScore * (((scores[i] ?? 0) - least) / range)) : 0;
  }
}
