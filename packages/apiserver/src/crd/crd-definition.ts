import type { KubernetesObject } from '@kubewright/apimachinery';
import { type BuiltinResource, builtinSchema } from '@kubewright/schema/internal';
import type { ResourceDefinition } from '../registry/resource-definition.ts';
import { storagePrefix } from '../registry/storage-prefix.ts';
import { nameClaims } from './accept-names.ts';
import { type CrdStrategyOptions, crdStatusStrategy, crdStrategy } from './crd-strategy.ts';
import type { CustomResourceDefinition } from './custom-resource-definition.ts';

/** Defines the resource `customresourcedefinitions` itself. */
export function crdDefinition(row: BuiltinResource, options: CrdStrategyOptions): ResourceDefinition {
  const schema = builtinSchema(row);
  if (!schema) throw new Error('the type table has no schema for CustomResourceDefinition');
  const { group, version, resource, singular, kind, scope, shortNames, categories, verbs, storageVersionHash } = row;
  return {
    group,
    version,
    resource,
    singular,
    kind,
    listKind: `${kind}List`,
    scope,
    shortNames,
    categories,
    verbs,
    storageVersionHash,
    storagePrefix: storagePrefix({ group, resource }),
    storageApiVersion: `${group}/${version}`,
    schema,
    strategy: crdStrategy(options),
    // Decoding guarantees that the object is a CRD.
    claims: (object) => nameClaims(object as CustomResourceDefinition),
    custom: false,
    columns: (row.columns ?? []).map((column) => ({ ...column, description: '' })),
    cells: ({ metadata }: KubernetesObject) => [metadata.name, metadata.creationTimestamp],
    fieldLabels: new Map(),
    subresources: new Map([
      [
        'status',
        {
          group,
          version,
          kind,
          verbs: ['get', 'patch', 'update'],
          behavior: { type: 'status', strategy: crdStatusStrategy(options) },
        },
      ],
    ]),
  };
}
