import type { Node, NodeSelectorRequirement, NodeSelectorTerm, Pod } from '@kubewright/apimachinery/core/v1';
import type { Filter } from './filter.ts';

/** Requires that the node matches the pod's nodeSelector and required node affinity. */
export const nodeAffinity: Filter = {
  name: 'NodeAffinity',
  reasons({ spec }, { node }) {
    const labels = node.metadata.labels ?? {};
    const selected = Object.entries(spec?.nodeSelector ?? {}).every(([key, value]) => labels[key] === value);
    const terms = spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms;
    const wanted = terms === undefined || terms.some((term) => matchesTerm(term, node));
    return selected && wanted ? [] : ["node(s) didn't match Pod's node affinity/selector"];
  },
};

/** Sums the weights of the preferred terms that a node matches; higher is better. */
export function preferredAffinity(pod: Pod, node: Node): number {
  const preferred = pod.spec?.affinity?.nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? [];
  return preferred.reduce((sum, { weight, preference }) => sum + (matchesTerm(preference, node) ? weight : 0), 0);
}

/** Reports whether a node matches a term. An empty term matches nothing. */
function matchesTerm({ matchExpressions = [], matchFields = [] }: NodeSelectorTerm, node: Node): boolean {
  if (matchExpressions.length + matchFields.length === 0) return false;
  const labels = node.metadata.labels ?? {};
  return (
    matchExpressions.every((requirement) => matches(requirement, labelOf(labels, requirement.key))) &&
    matchFields.every((requirement) => requirement.key === 'metadata.name' && matches(requirement, node.metadata.name))
  );
}

function matches({ operator, values = [] }: NodeSelectorRequirement, actual: string | undefined): boolean {
  switch (operator) {
    case 'In':
      return actual !== undefined && values.includes(actual);
    case 'NotIn':
      return actual === undefined || !values.includes(actual);
    case 'Exists':
      return actual !== undefined;
    case 'DoesNotExist':
      return actual === undefined;
    case 'Gt':
    case 'Lt': {
      const [bound] = values;
      if (actual === undefined || !/^-?\d+$/.test(actual) || bound === undefined || !/^-?\d+$/.test(bound))
        return false;
      return operator === 'Gt' ? BigInt(actual) > BigInt(bound) : BigInt(actual) < BigInt(bound);
    }
    default:
      return false;
  }
}

/** Returns the value of an own label, so `constructor` is not found on a plain object. */
function labelOf(labels: Readonly<Record<string, string>>, key: string): string | undefined {
  return Object.hasOwn(labels, key) ? labels[key] : undefined;
}
