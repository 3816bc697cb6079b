import type { Clock, Random } from '@kubewright/apimachinery';
import type { BuiltinResource } from '@kubewright/schema';
import type { ConnectSubresource, ResourceDefinition, VirtualResource } from '../registry/resource-definition.ts';
import type { ServiceAllocator } from './core/service-allocator.ts';

/** Options of {@link builtinDefinitions}: time, chance, and the behaviour that lives elsewhere. */
export interface BuiltinDefinitionsOptions {
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
