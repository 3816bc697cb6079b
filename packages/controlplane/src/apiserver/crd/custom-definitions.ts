import { createHash } from 'node:crypto';
import { forbidden, isDeleting, type KubernetesObject } from '@kubewright/apimachinery';
import type { ResourceDefinition, SubresourceDefinition } from '../registry/resource-definition.ts';
import { type CompiledVersion, compileVersion, type SchemaTools } from './compile-version.ts';
import { customColumns } from './custom-columns.ts';
import type { CrdScale, CrdVersion, CustomResourceDefinition } from './custom-resource-definition.ts';
import { type CustomStrategyParts, customStatusStrategy, customStrategy } from './custom-strategy.ts';
import { compileJsonPath } from './json-path.ts';

const VERBS = ['delete', 'deletecollection', 'get', 'list', 'patch', 'create', 'update', 'watch'];
const SUBRESOURCE_VERBS = ['get', 'patch', 'update'];

/** Defines the resources that an established CRD brings: one for each served version, over one storage. */
export function customDefinitions(crd: CustomResourceDefinition, tools: SchemaTools): readonly ResourceDefinition[] {
  return crd.spec.versions.filter(({ served }) => served).map((version) => definitionOf(crd, version, tools));
}

function definitionOf(crd: CustomResourceDefinition, version: CrdVersion, tools: SchemaTools): ResourceDefinition {
  const { spec } = crd;
  const { names, group, scope } = spec;
  const accepted = crd.status?.acceptedNames ?? names;
  const compiled = compileVersion(version.schema?.openAPIV3Schema ?? { type: 'object' }, tools);
  const stored = spec.versions.find(({ storage }) => storage)?.name ?? version.name;
  const parts: CustomStrategyParts = { spec, version, compiled, refuseCreation: () => refusal(crd) };
  return {
    group,
    version: version.name,
    resource: names.plural,
    singular: accepted.singular ?? names.kind.toLowerCase(),
    kind: names.kind,
    listKind: accepted.listKind ?? `${names.kind}List`,
    scope,
    shortNames: accepted.shortNames ?? [],
    categories: accepted.categories ?? [],
    verbs: VERBS,
    storageVersionHash: hashOf(`${group}/${stored}/${names.kind}`),
    storagePrefix: `/registry/${group}/${names.plural}/`,
    storageApiVersion: `${group}/${stored}`,
    schema: compiled.schema.node,
    openApiSchema: version.schema?.openAPIV3Schema,
    decode: (value) => {
      const pruned = compiled.schema.prune(value);
      return { value: pruned.value, unknownFields: pruned.unknownPaths.map((path) => `unknown field "${path}"`) };
    },
    strategy: customStrategy(parts),
    custom: true,
    ...customColumns(version.additionalPrinterColumns),
    fieldLabels: selectableFields(version),
    subresources: subresourcesOf(parts, compiled),
  };
}

function refusal(crd: CustomResourceDefinition): Error | undefined {
  if (!isDeleting(crd)) return undefined;
  const { group, names } = crd.spec;
  return forbidden(
    { group, resource: names.plural },
    '',
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

function subresourcesOf(
  parts: CustomStrategyParts,
  _compiled: CompiledVersion,
): ReadonlyMap<string, SubresourceDefinition> {
  const { spec, version } = parts;
  const found = new Map<string, SubresourceDefinition>();
  const { status, scale } = version.subresources ?? {};
  if (status !== undefined) {
    found.set('status', {
      group: spec.group,
      version: version.name,
      kind: spec.names.kind,
      verbs: SUBRESOURCE_VERBS,
      behaviour: { type: 'status', strategy: customStatusStrategy(parts) },
    });
  }
  if (scale !== undefined) {
    const behaviour = scaleOf(scale);
    found.set('scale', { group: 'autoscaling', version: 'v1', kind: 'Scale', verbs: SUBRESOURCE_VERBS, behaviour });
  }
  return found;
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
