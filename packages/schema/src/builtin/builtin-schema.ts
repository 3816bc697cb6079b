import type { GroupVersionKind } from '@kubewright/apimachinery';
import { defined } from '@kubewright/apimachinery/internal';
import type { SchemaNode } from '../node/schema-node.ts';
import { type Definition, type Field, referenceOf, TypeTable } from './type-table.ts';

/**
 * Creates schema nodes from the generated table. Nodes are created on demand and cached: every reference to a definition
 * returns the same node, and recursive definitions (`JSONSchemaProps`) terminate.
 */
class BuiltinSchemas {
  readonly table: TypeTable = new TypeTable();
  readonly #nodes = new Map<number, SchemaNode>();

  at(index: number): SchemaNode {
    let node = this.#nodes.get(index);
    if (node === undefined) {
      node = this.#nodeOf(this.table.definitionAt(index));
      this.#nodes.set(index, node);
    }
    return node;
  }

  #nodeOf(definition: Definition): SchemaNode {
    const typeName = definition.name.split('.').slice(-2).join('.');
    switch (definition.special) {
      case 'any':
        // Server-side apply treats raw JSON as atomic, as upstream does.
        return { type: 'any', preserveUnknownFields: true, mapType: 'atomic' };
      case 'fields':
        // Decoding accepts any JSON, but server-side apply only objects.
        return { type: 'object', preserveUnknownFields: true };
      case 'intOrString':
        return { type: 'string', format: 'int-or-string', intOrString: true, typeName };
      case 'quantity':
        return { type: 'string', format: 'quantity', intOrString: true, typeName };
      case 'time':
      case 'microTime':
        return { type: 'string', format: 'date-time', nullable: true, typeName };
      case '':
        return new StructureNode({ schemas: this, definition, typeName });
    }
  }

  /**
   * Returns the node of a field: the node of the field's type, extended with the field's list type, patch strategy or
   * default.
   */
  fieldNode(field: Field): SchemaNode {
    const plain = this.typeNode(field.type);
    const extra = extraOf(field);
    if (extra === undefined) return plain;
    return plain instanceof StructureNode ? plain.extended(extra) : { ...plain, ...extra };
  }

  typeNode(type: string): SchemaNode {
    const reference = referenceOf(type);
    if (reference !== undefined) return this.at(reference);
    if (type.startsWith('[')) return { type: 'array', items: this.typeNode(type.slice(1)) };
    if (type.startsWith('{')) return { type: 'object', additionalProperties: this.typeNode(type.slice(1)) };
    return scalars[type] ?? { type: 'any', preserveUnknownFields: true };
  }
}

const scalars: Readonly<Record<string, SchemaNode>> = {
  s: { type: 'string' },
  y: { type: 'string', format: 'byte' },
  i: { type: 'integer', format: 'int32' },
  l: { type: 'integer', format: 'int64' },
  n: { type: 'number', format: 'double' },
  b: { type: 'boolean' },
  o: { type: 'object', preserveUnknownFields: true },
};

type Extra = Pick<SchemaNode, 'listType' | 'listMapKeys' | 'patchMergeKey' | 'patchStrategies' | 'mapType' | 'default'>;

function extraOf(field: Field): Extra | undefined {
  const { listType, listMapKeys, patchMergeKey, patchStrategies, mapType } = field;
  const extra: Extra = {
    ...defined({ listType, listMapKeys, patchMergeKey, patchStrategies, mapType }),
    ...('default' in field ? { default: field.default } : {}),
  };
  return Object.keys(extra).length === 0 ? undefined : extra;
}

interface StructureParts {
  readonly schemas: BuiltinSchemas;
  readonly definition: Definition;
  readonly typeName: string;
  readonly extra?: Extra;
}

class StructureNode implements SchemaNode {
  readonly type = 'object';
  readonly typeName: string;
  readonly definition: string;
  readonly required: readonly string[] | undefined;
  readonly mapType: 'granular' | 'atomic' | undefined;
  readonly patchStrategies: SchemaNode['patchStrategies'];
  readonly patchMergeKey: string | undefined;
  readonly #parts: StructureParts;
  #properties: ReadonlyMap<string, SchemaNode> | undefined;

  constructor(parts: StructureParts) {
    const { definition, extra } = parts;
    this.#parts = parts;
    this.typeName = parts.typeName;
    this.definition = definition.name;
    const required = definition.fields.filter((field) => field.required).map((field) => field.name);
    this.required = required.length === 0 ? undefined : required;
    this.mapType = extra?.mapType ?? definition.mapType;
    this.patchStrategies = extra?.patchStrategies;
    this.patchMergeKey = extra?.patchMergeKey;
  }

  /** Created on first access: most definitions are never visited, and some refer to themselves. */
  get properties(): ReadonlyMap<string, SchemaNode> {
    const { schemas, definition } = this.#parts;
    this.#properties ??= new Map(definition.fields.map((field) => [field.name, schemas.fieldNode(field)]));
    return this.#properties;
  }

  extended(extra: Extra): StructureNode {
    return new StructureNode({ ...this.#parts, extra });
  }
}

// A cache, safe to share because its content depends only on constants. Created on first use, because TypeTable is
// costly to build.
let schemas: BuiltinSchemas | undefined;

function all(): BuiltinSchemas {
  schemas ??= new BuiltinSchemas();
  return schemas;
}

/** Returns the generated table from which {@link builtinSchema} creates its nodes. */
export function builtinTypeTable(): TypeTable {
  return all().table;
}

/**
 * Returns the schema of a built-in kind or definition; undefined for anything else.
 *
 * Examples: `builtinSchema({ group: 'apps', version: 'v1', kind: 'Deployment' })`,
 * `builtinSchema('io.k8s.api.core.v1.PodSpec')`.
 *
 * Equal arguments return the same node. A `Quantity` is a string node with format `quantity` and `intOrString`; the
 * node also accepts fractional numbers. `default` is set only for keys of associative lists and for the few fields
 * whose default is in the OpenAPI documents; the API server sets all other defaults in code.
 */
export function builtinSchema(target: GroupVersionKind | string): SchemaNode | undefined {
  const { table } = all();
  const index = typeof target === 'string' ? table.indexOf(target) : table.indexOfKind(target);
  return index === undefined ? undefined : all().at(index);
}

/** Returns the definition name of a kind: `io.k8s.api.apps.v1.Deployment`. */
export function builtinDefinitionName(gvk: GroupVersionKind): string | undefined {
  const index = all().table.indexOfKind(gvk);
  return index === undefined ? undefined : all().table.nameAt(index);
}
