import { type AffinityTerm, matchesAllTerms } from '../cluster/affinity-term.ts';
import type { PodInfo } from '../cluster/pod-info.ts';
import { hint, type Plugin } from '../framework/plugin.ts';
import { interPodAffinityFilter } from './inter-pod-affinity-filter.ts';
import { interPodAffinityScorer } from './inter-pod-affinity-scorer.ts';

/**
 * Places a pod near or away from other pods, by the affinity and anti-affinity terms of the pod and of running pods.
 */
export const interPodAffinity: Plugin = {
  name: 'InterPodAffinity',
  weight: 2,
  preFilter: interPodAffinityFilter,
  preScore: interPodAffinityScorer,
  hints: [
    hint('Pod', ['Add', 'UpdateLabel', 'Delete'], (pod, { old, now }) => {
      if (old && now?.uid === pod.uid) return true;
      const waits = (other: PodInfo | undefined): boolean => other?.nodeName === '' && other.nominatedNodeName === '';
      if (waits(old) || waits(now)) return false;
      const { required, requiredAnti } = pod.terms;
      const matched = (terms: readonly AffinityTerm[], other: PodInfo | undefined): boolean =>
        other !== undefined && matchesAllTerms(terms, other);
      if (now) {
        const attracts = !matched(required, old) && matched(required, now);
        return attracts || (matched(requiredAnti, old) && !matched(requiredAnti, now));
      }
      return matched(requiredAnti, old) || (old !== undefined && matchesAllTerms(old.terms.requiredAnti, pod));
    }),
    hint('Node', ['Add', 'UpdateLabel'], ({ terms }, { old, now }) => {
      const value = (labels: Readonly<Record<string, string>> | undefined, { topologyKey }: AffinityTerm) =>
        labels?.[topologyKey];
      const attracts = terms.required.some((term) => {
        const after = value(now?.labels, term);
        return after !== undefined && after !== value(old?.labels, term);
      });
      const frees = terms.requiredAnti.some((term) => {
        const before = value(old?.labels, term);
        return !old || (before !== undefined && before !== value(now?.labels, term));
      });
      return attracts || frees;
    }),
  ],
};
