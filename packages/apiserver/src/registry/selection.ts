import { badRequest, type KubernetesObject } from '@kubewright/apimachinery';
import type { ListOptions } from './list-options.ts';
import { parseSelectors } from './parse-selectors.ts';
import type { ResourceDefinition } from './resource-definition.ts';

/** Parsed selectors, which decide which objects of a collection a list or watch returns. */
export interface Selection {
  /** Canonical text of the selectors; equal selections have the same text. */
  readonly id: string;
  /** Undefined if everything is selected. */
  readonly matches: ((object: KubernetesObject) => boolean) | undefined;
  /** The only object name that can match, if the field selector requires one. */
  readonly name: string | undefined;
  /** A field, other than the name, for which the field selector requires one exact value. */
  readonly exact: ExactField | undefined;
}

/** A field, and the only value of that field that can match. */
export interface ExactField {
  readonly field: string;
  readonly value: string;
  readonly of: (object: KubernetesObject) => string;
}

const everything: Selection = { id: '', matches: undefined, name: undefined, exact: undefined };

/**
 * Parses the label and field selectors of a list.
 *
 * @throws StatusError 400 for selectors that cannot be parsed and fields that the kind does not support
 */
export function readSelection(
  { labelSelector, fieldSelector }: Pick<ListOptions, 'labelSelector' | 'fieldSelector'>,
  definition: ResourceDefinition,
): Selection {
  if (labelSelector === '' && fieldSelector === '') return everything;
  const { labels, fields } = parseSelectors({ labelSelector, fieldSelector });
  const lookups = fields.requirements.map(({ field }) => [field, fieldLookup(field, definition)] as const);
  if (labels.isEmpty && fields.isEmpty) return everything;
  const lookup = new Map(lookups);
  const matches = (object: KubernetesObject): boolean =>
    labels.matches(object.metadata.labels) && fields.matches((field) => lookup.get(field)?.(object) ?? '');
  const exact = fields.requirements
    .filter(({ operator, field }) => operator === '=' && definition.fieldLabels.has(field))
    .map(({ field, value }) => ({ field, value, of: fieldLookup(field, definition) }))[0];
  return { id: `${labels}|${fields}`, matches, name: fields.exactValue('metadata.name'), exact };
}

function fieldLookup(field: string, definition: ResourceDefinition): (object: KubernetesObject) => string {
  if (field === 'metadata.name') return ({ metadata }) => metadata.name ?? '';
  const hasTable = !definition.custom && definition.fieldLabels.size > 0;
  // The tables of cluster-scoped kinds do not include the namespace. Other kinds support the field, regardless of
  // scope.
  const supportsNamespace = !hasTable || definition.scope === 'Namespaced';
  if (field === 'metadata.namespace' && supportsNamespace) return ({ metadata }) => metadata.namespace ?? '';
  const lookup = definition.fieldLabels.get(field);
  if (lookup) return lookup;
  throw badRequest(unsupportedField(field, definition, hasTable));
}

/** Upstream's message differs between kinds with a table of field labels, other built-in kinds, and custom resources. */
function unsupportedField(
  field: string,
  { group, version, kind, custom }: ResourceDefinition,
  hasTable: boolean,
): string {
  if (hasTable && group === 'resource.k8s.io')
    return `field label not supported for ${group}/${version}, Kind=${kind}: ${field}`;
  if (group === 'batch' && kind === 'Job') return `field label ${JSON.stringify(field)} not supported for Job`;
  if (hasTable || custom) return `field label not supported: ${field}`;
  return `${JSON.stringify(field)} is not a known field selector: only "metadata.name", "metadata.namespace"`;
}
