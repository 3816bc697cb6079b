import type { NodeSelectorTerm, Pod } from '@kubewright/apimachinery/core/v1';
import { normalize } from '../framework/normalize.ts';
import { hint, type Plugin } from '../framework/plugin.ts';
import { unresolvable } from '../framework/rejection.ts';
import { matchesTerm, requiredNodes } from './node-selector.ts';

const name = 'NodeAffinity';
const rejection = unresolvable(name, "node(s) didn't match Pod's node affinity/selector");
const conflict = unresolvable(name, 'pod affinity terms conflict');

/**
 * Requires nodes to match the pod's nodeSelector and required node affinity, and prefers nodes that match its preferred terms.
 */
export const nodeAffinity: Plugin = {
  name,
  weight: 2,
  preFilter({ pod }) {
    const accepts = requiredNodes(pod);
    if (!accepts) return undefined;
    const nodeNames = namedNodes(pod);
    if (nodeNames?.size === 0) return conflict;
    return { nodeNames, filter: (node) => (accepts(node) ? undefined : rejection) };
  },
  preScore({ pod }) {
    const preferred = pod.spec?.affinity?.nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution;
    if (!preferred) return undefined;
    return {
      score: (node) =>
        preferred.reduce((sum, { weight, preference }) => sum + (matchesTerm(preference, node) ? weight : 0), 0),
      normalize: (scores) => normalize(scores, { reverse: false }),
    };
  },
  hints: [
    hint('Node', ['Add', 'UpdateLabel'], ({ pod }, { old, now }) => {
      const accepts = requiredNodes(pod) ?? (() => true);
      return now !== undefined && accepts(now) && (!old || !accepts(old));
    }),
  ],
};

/**
 * Returns the node names that the required terms are limited to, as in DaemonSet pods; undefined if any term is not limited by
 * name.
 */
function namedNodes({ spec }: Pod): ReadonlySet<string> | undefined {
  const terms = spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [];
  const all = new Set<string>();
  for (const term of terms) {
    const named = namesOf(term);
    if (!named) return undefined;
    for (const each of named) all.add(each);
  }
  return terms.length === 0 ? undefined : all;
}

function namesOf({ matchFields = [] }: NodeSelectorTerm): readonly string[] | undefined {
  let names: readonly string[] | undefined;
  for (const { key, operator, values = [] } of matchFields) {
    if (key !== 'metadata.name' || operator !== 'In') continue;
    names = names ? names.filter((each) => values.includes(each)) : values;
  }
  return names;
}
