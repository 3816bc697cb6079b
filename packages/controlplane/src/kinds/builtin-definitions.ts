import { apiVersionOf, type KubernetesObject } from '@kubewright/apimachinery';
import { defined } from '@kubewright/apimachinery/internal';
import type { ResourceDefinition, Strategy, SubresourceDefinition } from '@kubewright/apiserver';
import { storagePrefix } from '@kubewright/apiserver/internal';
import { type BuiltinResource, builtinResources, builtinSchema, type SchemaNode } from '@kubewright/schema/internal';
import { builtinCells } from './builtin-cells.ts';
import { builtinDefaults } from './builtin-defaults.ts';
import type { BuiltinKind } from './builtin-kind.ts';
import { builtinKinds } from './builtin-kinds.ts';
import type { BuiltinDefinitionsOptions } from './builtin-options.ts';
import { mainStrategy, seeingEmptyFields, subresourceStrategy } from './builtin-strategy.ts';
import { builtinValidations } from './builtin-validations.ts';
import { connectSubresource, virtualResource } from './hooks.ts';
import { nameAndAge, nameAndAgeColumns } from './table/name-and-age.ts';
import type { KindValidation } from './validation/kind-validation.ts';
import { WireTypes } from './wire/wire-types.ts';

/**
 * Defines every built-in resource of release 1.36, from the type table, the kinds' strategies and table rows, and the given hooks.
 * Hooks define resources that are not stored (reviews) or are defined elsewhere (CRDs).
 *
 * @throws Error if a resource of the type table has no definition.
 */
export function builtinDefinitions(options: BuiltinDefinitionsOptions): readonly ResourceDefinition[] {
  const cells = builtinCells();
  const types = new WireTypes(builtinDefaults());
  const validations = builtinValidations(options);
  const kinds = new Map(builtinKinds(options).map((kind) => [kind.resource, kind]));
  return builtinResources().map((resource) => {
    const kind = kinds.get(`${resource.group}/${resource.version}/${resource.resource}`);
    if (kind) return storedDefinition({ resource, kind, types, cells, validations, options });
    return hookedDefinition(resource, options);
  });
}

interface Parts {
  readonly resource: BuiltinResource;
  readonly kind: BuiltinKind;
  readonly types: WireTypes;
  readonly cells: ReturnType<typeof builtinCells>;
  readonly validations: ReturnType<typeof builtinValidations>;
  readonly options: BuiltinDefinitionsOptions;
}

function storedDefinition(parts: Parts): ResourceDefinition {
  const { resource, kind, types, cells } = parts;
  let zero: ResourceDefinition['zero'];
  return {
    ...namesOf(resource),
    // Computed on first use, because a server needs only a few kinds at startup.
    get schema() {
      return schemaOf(resource);
    },
    get zero() {
      zero ??= types.zero(kind.struct);
      return zero;
    },
    storagePrefix: storagePrefix(resource),
    storageApiVersion: kind.storageApiVersion ?? apiVersionOf(resource),
    ttlSeconds: kind.ttlSeconds,
    claims: kind.claims as ResourceDefinition['claims'],
    ...(kind.addStoredDefaults && { fromStored: readerOf(kind.addStoredDefaults) }),
    ...defined({ conversion: kind.conversion, conversionAnnotations: kind.conversionAnnotations }),
    strategy: seeingEmptyFields(
      { ...mainStrategy(kind, types), ...rules(parts.validations.get(kind.resource)) },
      types,
    ),
    cells: cells.get(kind.resource) ?? nameAndAge,
    fieldLabels: new Map(Object.entries(kind.fieldLabels ?? {})) as unknown as ResourceDefinition['fieldLabels'],
    subresources: new Map(resource.subresources.map((sub) => [sub.name, subresource(sub, parts)])),
  };
}

function readerOf(
  addDefaults: NonNullable<BuiltinKind['addStoredDefaults']>,
): NonNullable<ResourceDefinition['fromStored']> {
  return (object) => {
    // The server stores only objects of the kind.
    addDefaults(object as unknown as Parameters<typeof addDefaults>[0]);
    return object;
  };
}

function rules(validation: KindValidation | undefined): Partial<Strategy> {
  // The rules get only objects of their kind. `validationOf` has erased the type of these objects.
  return (validation ?? {}) as unknown as Partial<Strategy>;
}

type Subresource = BuiltinResource['subresources'][number];

function subresource(sub: Subresource, parts: Parts): SubresourceDefinition {
  const { group, version, kind, verbs } = sub;
  return { group, version, kind, verbs, behavior: behaviorOf(sub, parts) };
}

function behaviorOf(sub: Subresource, parts: Parts): SubresourceDefinition['behavior'] {
  const { resource, kind, types, options } = parts;
  const strategy = kind.subresources?.[sub.name] ?? (sub.name === 'status' ? {} : undefined);
  if (strategy) {
    const own = rules(parts.validations.get(`${kind.resource}/${sub.name}`));
    const complete = { ...subresourceStrategy(kind, strategy, types), ...own };
    return { type: 'status', strategy: seeingEmptyFields(complete, types) };
  }
  if (sub.name === 'scale' && kind.scale) return kind.scale;
  return connectSubresource(`${resource.resource}/${sub.name}`, options);
}

/** Defines a resource that a hook provides: one that is never stored (reviews, bindings), or one that is defined elsewhere (CRDs). */
function hookedDefinition(resource: BuiltinResource, options: BuiltinDefinitionsOptions): ResourceDefinition {
  const foreign = options.foreign?.get(resource.resource);
  if (foreign) return foreign(resource);
  return {
    ...namesOf(resource),
    get schema() {
      return schemaOf(resource);
    },
    storagePrefix: storagePrefix(resource),
    storageApiVersion: apiVersionOf(resource),
    strategy: { generation: 'none', allowUnconditionalUpdate: true, allowCreateOnUpdate: false },
    cells: nameAndAge,
    fieldLabels: new Map<string, (object: KubernetesObject) => string>(),
    subresources: new Map(),
    virtual: virtualResource(resource, options),
  };
}

/** The warning for every request to a deprecated resource (1.36). */
const deprecations: ReadonlyMap<string, string> = new Map([
  ['/v1/endpoints', 'v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice'],
  ['/v1/componentstatuses', 'v1 ComponentStatus is deprecated in v1.19+'],
]);

type Names = Omit<
  ResourceDefinition,
  'schema' | 'storagePrefix' | 'storageApiVersion' | 'strategy' | 'cells' | 'fieldLabels' | 'subresources'
>;

function namesOf(row: BuiltinResource): Names {
  return {
    group: row.group,
    version: row.version,
    resource: row.resource,
    singular: row.singular,
    kind: row.kind,
    listKind: `${row.kind}List`,
    scope: row.scope,
    shortNames: row.shortNames,
    categories: row.categories,
    verbs: row.verbs,
    storageVersionHash: row.storageVersionHash,
    deprecation: deprecations.get(`${row.group}/${row.version}/${row.resource}`),
    custom: false,
    // The descriptions are empty: upstream's descriptions are not copied.
    columns: (row.columns ?? nameAndAgeColumns).map((column) => ({ ...column, description: '' })),
  };
}

function schemaOf({ group, version, kind }: BuiltinResource): SchemaNode {
  const schema = builtinSchema({ group, version, kind });
  if (!schema) throw new Error(`the type table has no schema for ${group}/${version} ${kind}`);
  return schema;
}
