import { KubewrightError } from '@kubewright/apimachinery';
import { defined } from '@kubewright/apimachinery/internal';
import type { JsonSchema } from '@kubewright/schema';
import { builtinSchema, type SchemaNode } from '@kubewright/schema/internal';
import { condition, intOrString, quantity } from './known-schemas.ts';

/** Thrown for a recursive Kubernetes type, which cannot have a structural schema. */
export class EndlessTypeError extends KubewrightError {
  override readonly name = 'EndlessTypeError';
  readonly code = 'KW6105';

  constructor(definition: string) {
    super({
      what: `the type ${definition} contains itself`,
      remedy: 'use unknown with the tag @preserveUnknownFields instead',
    });
  }
}

/**
 * Returns the structural schema of a Kubernetes type or of one of its fields: types, required fields, list types and keys,
 * defaults of keys. Omits descriptions, which would be most of a CRD that embeds a pod. Also omits enums, because a CRD that
 * lists them would reject values that a later version of Kubernetes adds.
 *
 * @throws {@link EndlessTypeError}
 */
export function builtinJsonSchema(definition: string, field?: string): JsonSchema {
  if (definition.endsWith('.meta.v1.Condition') && field === undefined) return condition;
  const node = builtinSchema(definition);
  const target = field === undefined ? node : node?.properties?.get(field);
  if (target === undefined) throw new TypeError(`the type table has no ${definition} ${field ?? ''}`);
  return convert(target, { definition, stack: [] });
}

interface Way {
  readonly definition: string;
  readonly stack: readonly string[];
}

function convert(node: SchemaNode, way: Way): JsonSchema {
  if (node.typeName === 'v1.ObjectMeta') return { type: 'object' };
  if (node.typeName === 'v1.Condition') return condition;
  if (node.intOrString === true) return node.format === 'quantity' ? quantity : intOrString;
  const own = node.default === undefined ? {} : { default: node.default };
  switch (node.type) {
    case 'any':
      return { 'x-kubernetes-preserve-unknown-fields': true };
    case 'array':
      return { type: 'array', ...listOf(node), items: node.items ? convert(node.items, way) : {} };
    case 'object':
      return objectOf(node, way);
    default:
      return { type: node.type, ...own, ...defined({ format: node.format }) };
  }
}

function listOf({ listType, listMapKeys }: SchemaNode): JsonSchema {
  return {
    ...defined({ 'x-kubernetes-list-type': listType, 'x-kubernetes-list-map-keys': listMapKeys }),
  };
}

function objectOf(node: SchemaNode, way: Way): JsonSchema {
  const { typeName, additionalProperties, required, mapType } = node;
  if (typeName !== undefined && way.stack.includes(typeName)) throw new EndlessTypeError(way.definition);
  const below: Way = typeName === undefined ? way : { ...way, stack: [...way.stack, typeName] };
  const properties = [...(node.properties ?? [])].map(([name, child]) => {
    // Omits the defaults of required fields, like controller-gen: the OpenAPI documents give required strings an empty
    // default.
    const converted = convert(child, below);
    const { default: _, ...plain } = converted;
    return [name, required?.includes(name) ? plain : converted] as const;
  });
  return {
    type: 'object',
    ...(properties.length > 0 && { properties: Object.fromEntries(properties) }),
    ...(additionalProperties !== undefined && { additionalProperties: convert(additionalProperties, below) }),
    ...(required !== undefined && { required: [...required].sort() }),
    ...defined({ 'x-kubernetes-map-type': mapType }),
    ...(node.preserveUnknownFields === true && { 'x-kubernetes-preserve-unknown-fields': true }),
  };
}
