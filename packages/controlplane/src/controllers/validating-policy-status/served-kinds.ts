import type { GroupVersionKind } from '@kubewright/apimachinery';
import type { CustomResourceDefinition } from '@kubewright/apimachinery/apiextensions/v1';
import { compileStructuralSchema, type JsonSchema, PatternCache } from '@kubewright/schema';
import { builtinResources, builtinSchema, type SchemaNode } from '@kubewright/schema/internal';

/** A kind that the API server serves, with the schema of its objects. */
export interface ServedKind extends GroupVersionKind {
  readonly resource: string;
  readonly schema: () => SchemaNode;
}

/** Returns the built-in kinds and the kinds of CRDs. Kinds of aggregated API servers are not included. */
export function servedKinds(definitions: readonly CustomResourceDefinition[]): readonly ServedKind[] {
  return [
    ...builtinResources().map((kind) => ({ ...gvr(kind), kind: kind.kind, schema: () => kind.schema })),
    ...definitions.flatMap(({ spec }) =>
      spec.versions
        .filter(({ served }) => served)
        .map(({ name: version, schema }) => ({
          group: spec.group,
          version,
          resource: spec.names.plural,
          kind: spec.names.kind,
          schema: () => customSchema((schema?.openAPIV3Schema ?? { type: 'object' }) as JsonSchema),
        })),
    ),
  ];
}

function gvr({ group, version, resource }: ServedKind | ReturnType<typeof builtinResources>[number]) {
  return { group, version, resource };
}

const text: SchemaNode = { type: 'string' };

/** Returns the schema of custom objects as the API server publishes it, with `apiVersion`, `kind` and all metadata fields. */
function customSchema(source: JsonSchema): SchemaNode {
  const patterns = new PatternCache();
  const { node } = compileStructuralSchema(source, { compilePattern: (pattern) => patterns.get(pattern) });
  const metadata = builtinSchema('io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta');
  if (metadata === undefined) throw new Error('ObjectMeta is missing from the type table');
  const own = [['apiVersion', text] as const, ['kind', text] as const, ['metadata', metadata] as const];
  return { ...node, properties: new Map([...(node.properties ?? []), ...own]) };
}
