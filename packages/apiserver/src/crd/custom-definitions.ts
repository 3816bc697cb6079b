import { createHash } from 'node:crypto';
import { forbidden, isDeleting, type KubernetesObject } from '@kubewright/apimachinery';
import { type Decoded, decodeValue } from '@kubewright/schema/internal';
import { compareVersions } from '../discovery/version-priority.ts';
import type { Draft } from '../registry/index.ts';
import type { ObjectConverter, ResourceDefinition, SubresourceDefinition } from '../registry/resource-definition.ts';
import { type CompiledVersion, compileVersion, objectMeta, type SchemaTools } from './compile-version.ts';
import { customColumns } from './custom-columns.ts';
import type { CrdScale, CrdVersion, CustomResourceDefinition } from './custom-resource-definition.ts';
import { type CustomStrategyParts, customStatusStrategy, customStrategy } from './custom-strategy.ts';
import { compileJsonPath } from './json-path.ts';

const verbs = ['delete', 'deletecollection', 'get', 'list', 'patch', 'create', 'update', 'watch'];
const subresourceVerbs = ['get', 'patch', 'update'];

/**
 * Defines the resources of an established CRD: one per served version, sharing one storage. If a CRD that is being deleted serves
 * no version, its storage version is defined as hidden, so that the server can delete the objects.
 */
export function customDefinitions(
  crd: CustomResourceDefinition,
  tools: SchemaTools & { readonly converterOf: ConverterFactory },
): readonly ResourceDefinition[] {
  const { group, versions } = crd.spec;
  const all = versions.map((version) => ({ version, compiled: compile(version, tools) }));
  const stored = all.find(({ version }) => version.storage);
  if (stored === undefined) return [];
  const schemas = new Map(all.map(({ version, compiled }) => [`${group}/${version.name}`, compiled]));
  const storageApiVersion = `${group}/${stored.version.name}`;
  const converter = tools.converterOf(crd, { versions: schemas, storageApiVersion });
  const served = all.filter(({ version }) => version.served);
  if (served.length === 0 && isDeleting(crd)) {
    return [{ ...definitionOf(crd, stored, { stored, converter }), hidden: true }];
  }
  return served.map((one) => definitionOf(crd, one, { stored, converter }));
}

/** Returns the converter between the versions of a kind, or undefined if they differ only in `apiVersion`. */
export type ConverterFactory = (crd: CustomResourceDefinition, parts: ConverterParts) => ObjectConverter | undefined;

/** The input of a {@link ConverterFactory}, in addition to the CRD. */
export interface ConverterParts {
  /** The schemas of all versions, by apiVersion. */
  readonly versions: ReadonlyMap<string, CompiledVersion>;
  readonly storageApiVersion: string;
}

interface ServedVersion {
  readonly version: CrdVersion;
  readonly compiled: CompiledVersion;
}

function compile(version: CrdVersion, tools: SchemaTools): CompiledVersion {
  return compileVersion(version.schema?.openAPIV3Schema ?? { type: 'object' }, tools);
}

/**
 * Returns a function that reads a stored object: it prunes and defaults the object with the stored version's schema, then prunes
 * it with the served version's schema.
 */
function readerOf({ compiled }: ServedVersion, stored: ServedVersion): (object: Draft) => Draft {
  const own = stored.compiled.schema;
  if (stored.compiled === compiled) return (object) => own.applyDefaults(own.prune(object).value) as Draft;
  return (object) => compiled.schema.prune(own.applyDefaults(own.prune(object).value)).value as Draft;
}

/** Returns an object unchanged: the converter's result is served directly. */
function unchanged(object: Draft): Draft {
  return object;
}

function definitionOf(
  crd: CustomResourceDefinition,
  one: ServedVersion,
  storage: { readonly stored: ServedVersion; readonly converter: ObjectConverter | undefined },
): ResourceDefinition {
  const { version, compiled } = one;
  const { spec } = crd;
  const { names, group, scope } = spec;
  const accepted = crd.status?.acceptedNames ?? names;
  const { stored: storedVersion, converter } = storage;
  const stored = storedVersion.version.name;
  const parts: CustomStrategyParts = { spec, version, compiled, rejectCreation: (name) => rejection(crd, name) };
  return {
    group,
    version: version.name,
    deprecation: deprecationOf(crd, version),
    resource: names.plural,
    singular: accepted.singular ?? names.kind.toLowerCase(),
    kind: names.kind,
    listKind: accepted.listKind ?? `${names.kind}List`,
    scope,
    shortNames: accepted.shortNames ?? [],
    categories: accepted.categories ?? [],
    verbs: verbs,
    storageVersionHash: hashOf(`${group}/${stored}/${names.kind}`),
    storagePrefix: `/registry/${group}/${names.plural}/`,
    storageApiVersion: converter ? `${group}/${version.name}` : `${group}/${stored}`,
    schema: compiled.schema.node,
    openApiSchema: version.schema?.openAPIV3Schema,
    decode: (value) => decodeCustom(value, compiled),
    ...(converter ? { converter, fromStored: unchanged } : { fromStored: readerOf(one, storedVersion) }),
    strategy: customStrategy(parts),
    custom: true,
    ...customColumns(version.additionalPrinterColumns),
    fieldLabels: selectableFields(version),
    subresources: subresourcesOf(parts),
  };
}

/** Decodes a custom object. Metadata always has the standard schema; all other fields have the version's schema. */
function decodeCustom(value: unknown, { schema }: CompiledVersion): Decoded {
  const pruned = schema.prune(value);
  const unknownFields = pruned.unknownPaths.map((path) => `unknown field "${path}"`);
  const object = pruned.value as Readonly<Record<string, unknown>>; // only objects get here
  const { metadata } = object;
  const schemaOfMetadata = objectMeta();
  if (metadata === undefined || metadata === null || schemaOfMetadata === undefined) {
    return { value: object, unknownFields };
  }
  const decoded = decodeValue(schemaOfMetadata, metadata, { path: 'metadata' });
  return {
    value: decoded.value === metadata ? object : withMetadata(object, decoded.value),
    unknownFields: [...unknownFields, ...decoded.unknownFields],
  };
}

function withMetadata(object: Readonly<Record<string, unknown>>, metadata: unknown): Record<string, unknown> {
  const copy = { ...object };
  copy['metadata'] = metadata;
  return copy;
}

/** Returns the text of the `Warning` header for requests to a deprecated version. */
function deprecationOf({ spec }: CustomResourceDefinition, version: CrdVersion): string | undefined {
  if (!version.deprecated) return undefined;
  const { group, names } = spec;
  if (version.deprecationWarning) return version.deprecationWarning;
  const text = `${group}/${version.name} ${names.kind} is deprecated`;
  const better = spec.versions
    .filter(({ served, deprecated, name }) => served && !deprecated && name !== version.name)
    .map(({ name }) => name)
    .sort(compareVersions)[0];
  return better === undefined ? text : `${text}; use ${group}/${better} ${names.kind}`;
}

function rejection(crd: CustomResourceDefinition, name: string): Error | undefined {
  if (!isDeleting(crd)) return undefined;
  const { group, names } = crd.spec;
  return forbidden(
    { group, resource: names.plural },
    name,
    'create not allowed while custom resource definition is terminating',
  );
}

function selectableFields({ selectableFields }: CrdVersion): ResourceDefinition['fieldLabels'] {
  return new Map(
    (selectableFields ?? []).map(({ jsonPath }) => {
      const path = compileJsonPath(jsonPath);
      const read = (object: KubernetesObject): string => {
        const [value] = path.read(object);
        return value === undefined || value === null ? '' : String(value);
      };
      return [jsonPath.replace(/^\./, ''), read] as const;
    }),
  );
}

function subresourcesOf(parts: CustomStrategyParts): ReadonlyMap<string, SubresourceDefinition> {
  const { spec, version } = parts;
  const found = new Map<string, SubresourceDefinition>();
  const { status, scale } = version.subresources ?? {};
  if (status !== undefined) {
    found.set('status', {
      group: spec.group,
      version: version.name,
      kind: spec.names.kind,
      verbs: subresourceVerbs,
      behavior: { type: 'status', strategy: customStatusStrategy(parts) },
    });
  }
  if (scale !== undefined) {
    const behavior = { ...scaleOf(scale), otherReplicasPaths: replicasPaths(spec) };
    found.set('scale', { group: 'autoscaling', version: 'v1', kind: 'Scale', verbs: subresourceVerbs, behavior });
  }
  return found;
}

/** Returns the replicas path of each version with a scale subresource. */
function replicasPaths({ group, versions }: CustomStrategyParts['spec']): Readonly<Record<string, readonly string[]>> {
  const scaled = versions.flatMap(({ name, subresources }) =>
    subresources?.scale ? [[`${group}/${name}`, scaleOf(subresources.scale).specReplicasPath] as const] : [],
  );
  return Object.fromEntries(scaled);
}

function scaleOf({ specReplicasPath, statusReplicasPath, labelSelectorPath }: CrdScale) {
  const keys = (path: string): readonly string[] => path.split('.').slice(1);
  return {
    type: 'scale',
    specReplicasPath: keys(specReplicasPath),
    statusReplicasPath: keys(statusReplicasPath),
    selectorPath: labelSelectorPath === undefined ? undefined : keys(labelSelectorPath),
  } as const;
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest().subarray(0, 8).toString('base64');
}
