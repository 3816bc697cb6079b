import { apiVersionOf, type GroupVersionKind, type GroupVersionResource, type Scope } from '@kubewright/apimachinery';
import { resourceTable } from '../generated/resource-table.ts';
import type { SchemaNode } from '../node/schema-node.ts';
import { builtinSchema } from './builtin-schema.ts';

/** A built-in resource as a fresh API server 1.36.3 serves it. */
export interface BuiltinResource extends GroupVersionResource, GroupVersionKind {
  readonly singular: string;
  readonly scope: Scope;
  /** In discovery order: alphabetical. */
  readonly verbs: readonly string[];
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  /** Absent for resources that are not stored, such as reviews. */
  readonly storageVersionHash?: string;
  readonly subresources: readonly BuiltinSubresource[];
  /** Columns of `kubectl get`; empty for resources that cannot be listed. */
  readonly columns: readonly BuiltinColumn[];
  /** The schema of the resource's objects. */
  readonly schema: SchemaNode;
}

/** A subresource and the kind of its objects: `scale` → autoscaling/v1 `Scale`. */
export interface BuiltinSubresource extends GroupVersionKind {
  readonly name: string;
  readonly verbs: readonly string[];
}

/** One column of a table. Columns with `priority` 0 are always shown, columns with 1 only with `-o wide`. */
export interface BuiltinColumn {
  readonly name: string;
  readonly type: string;
  readonly format: string;
  readonly priority: number;
  /** Always empty, because this package does not contain the API server's descriptions. */
  readonly description: string;
}

interface Row extends GroupVersionResource, GroupVersionKind {
  readonly singular: string;
  readonly scope: Scope;
  readonly verbs: readonly string[];
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  readonly storageVersionHash?: string;
  readonly subresources?: readonly BuiltinSubresource[];
  readonly columns?: readonly { readonly name: string; readonly type: string; format?: string; priority?: number }[];
}

interface Resources {
  readonly all: readonly BuiltinResource[];
  readonly byResource: ReadonlyMap<string, BuiltinResource>;
  readonly byKind: ReadonlyMap<string, BuiltinResource>;
}

// A cache, safe to share because its content depends only on constants: the 40 kB of JSON are parsed only once.
let resources: Resources | undefined;

/** Returns the built-in resources in the discovery order of a fresh API server, core group first. */
export function builtinResources(): readonly BuiltinResource[] {
  return tables().all;
}

/** Returns the built-in resource with the given group, version and plural name. */
export function findBuiltinResource(gvr: GroupVersionResource): BuiltinResource | undefined {
  return tables().byResource.get(`${gvr.group}/${gvr.version}/${gvr.resource}`);
}

/** Returns the built-in resource that serves a kind. */
export function findBuiltinKind(gvk: GroupVersionKind): BuiltinResource | undefined {
  return tables().byKind.get(`${gvk.group}/${gvk.version}/${gvk.kind}`);
}

function tables(): Resources {
  if (resources !== undefined) return resources;
  const rows = JSON.parse(resourceTable) as readonly Row[]; // our own generator writes the table
  const all = rows.map(resourceOf);
  resources = {
    all,
    byResource: new Map(all.map((row) => [`${row.group}/${row.version}/${row.resource}`, row])),
    byKind: new Map(all.map((row) => [`${row.group}/${row.version}/${row.kind}`, row])),
  };
  return resources;
}

function resourceOf(row: Row): BuiltinResource {
  const { columns = [], ...rest } = row;
  return {
    ...rest,
    shortNames: row.shortNames ?? [],
    categories: row.categories ?? [],
    subresources: row.subresources ?? [],
    columns: columns.map((column) => ({ format: '', priority: 0, description: '', ...column })),
    // Created on demand, because listing resources must not build schemas.
    get schema(): SchemaNode {
      const schema = builtinSchema(row);
      if (schema === undefined)
        throw new Error(
          `${row.kind} of ${apiVersionOf(row)} is missing from the type table; run node scripts/generate-builtin.mjs`,
        );
      return schema;
    },
  };
}
