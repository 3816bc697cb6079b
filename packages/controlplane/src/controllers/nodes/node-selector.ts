import type { Node, NodeSelectorRequirement, NodeSelectorTerm, PodSpec } from '@kubewright/apimachinery/core/v1';

/** True if a node matches the nodeSelector and the required node affinity of a pod. */
export function matchesNodeAffinity({ nodeSelector, affinity }: PodSpec, node: Node): boolean {
  const labels = node.metadata.labels ?? {};
  const selected = Object.entries(nodeSelector ?? {}).every(([key, value]) => labelOf(labels, key) === value);
  const terms = affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms;
  return selected && (terms === undefined || terms.some((term) => matchesTerm(term, node)));
}

/** True if a node matches a term. An empty term matches no node. */
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
      const integer = /^[+-]?\d+$/;
      const [bound = ''] = values;
      if (actual === undefined || !integer.test(actual) || !integer.test(bound)) return false;
      return operator === 'Gt' ? BigInt(actual) > BigInt(bound) : BigInt(actual) < BigInt(bound);
    }
    default:
      return false;
  }
}

/**
 * Returns the value of a label. Reads own properties only, so a label key such as `constructor` is not found on the prototype.
 */
function labelOf(labels: Readonly<Record<string, string>>, key: string): string | undefined {
  return Object.hasOwn(labels, key) ? labels[key] : undefined;
}
