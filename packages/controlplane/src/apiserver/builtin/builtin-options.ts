import type { Clock, Random, Scope } from '@kubewright/apimachinery';
import type { SchemaNode } from '@kubewright/schema';
import type {
  ConnectSubresource,
  ResourceDefinition,
  TableColumn,
  VirtualResource,
} from '../registry/resource-definition.ts';
import type { ServiceAllocator } from './core/service-allocator.ts';

/** One row of the built-in resource table: a served resource in one version, as discovery shows it. */
export interface BuiltinResource {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly singular: string;
  readonly kind: string;
  readonly scope: Scope;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly verbs: readonly string[];
  readonly storageVersionHash?: string | undefined;
  readonly schema: SchemaNode;
  readonly columns: readonly TableColumn[];
  readonly subresources: readonly {
    readonly name: string;
    readonly group: string;
    readonly version: string;
    readonly kind: string;
    readonly verbs: readonly string[];
  }[];
}

/** Options of {@link builtinDefinitions}: the table, and the behaviour that lives elsewhere. */
export interface BuiltinDefinitionsOptions {
  readonly resources: readonly BuiltinResource[];
  readonly clock: Clock;
  readonly random: Random;
  /** @defaultValue an allocator in memory for 10.96.0.0/16; it must be told of stored services */
  readonly allocator?: ServiceAllocator | undefined;
  /** Subresources with their own behaviour: `pods/log`, `pods/exec`, `pods/eviction`, `serviceaccounts/token`, …; others answer 501. */
  readonly connect?: ReadonlyMap<string, ConnectSubresource> | undefined;
  /** Resources that are only asked, by plural: `tokenreviews`, `bindings`, …; others answer 501. */
  readonly virtual?: ReadonlyMap<string, VirtualResource> | undefined;
  /** Resources that others define wholly, by plural: `customresourcedefinitions`. */
  readonly foreign?: ReadonlyMap<string, (resource: BuiltinResource) => ResourceDefinition> | undefined;
  /** Accepts loopback addresses in endpoints: pods of a process driver live there. @defaultValue false */
  readonly allowLoopbackEndpoints?: boolean | undefined;
}
