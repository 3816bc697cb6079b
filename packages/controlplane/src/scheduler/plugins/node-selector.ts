import type { NodeSelector, NodeSelectorRequirement, NodeSelectorTerm, Pod } from '@kubewright/apimachinery/core/v1';
import type { Labels } from '../cluster/affinity-term.ts';

/** The properties of a node that node selectors are matched against. */
export interface SelectedNode {
  readonly name: string;
  readonly labels: Labels;
}

/** Returns a predicate for a pod's nodeSelector and required node affinity; undefined if it has neither. */
export function requiredNodes({ spec }: Pod): ((node: SelectedNode) => boolean) | undefined {
  const labels = Object.entries(spec?.nodeSelector ?? {});
  const required = spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  if (labels.length === 0 && !required) return undefined;
  return (node) => {
    return (
      labels.every(([key, value]) => labelOf(node.labels, key) === value) && (!required || matchesAny(required, node))
    );
  };
}

/** True if a node matches one of a selector's terms. */
export function matchesAny({ nodeSelectorTerms }: NodeSelector, node: SelectedNode): boolean {
  return nodeSelectorTerms.some((term) => matchesTerm(term, node));
}

/** True if a node matches a term. An empty term matches nothing. */
export function matchesTerm(
  { matchExpressions = [], matchFields = [] }: NodeSelectorTerm,
  node: SelectedNode,
): boolean {
  if (matchExpressions.length + matchFields.length === 0) return false;
  return (
    matchExpressions.every((requirement) => matches(requirement, labelOf(node.labels, requirement.key))) &&
    matchFields.every((requirement) => requirement.key === 'metadata.name' && matches(requirement, node.name))
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
      if (actual === undefined || bound === undefined || !/^[+-]?\d+$/.test(actual) || !/^[+-]?\d+$/.test(bound))
        return false;
      return operator === 'Gt' ? BigInt(actual) > BigInt(bound) : BigInt(actual) < BigInt(bound);
    }
    default:
      return false;
  }
}

/**
 * Returns the value of a label. Reads own properties only, so a label key such as `constructor` is not found on the prototype.
 */
function labelOf(labels: Labels, key: string): string | undefined {
  return Object.hasOwn(labels, key) ? labels[key] : undefined;
}
