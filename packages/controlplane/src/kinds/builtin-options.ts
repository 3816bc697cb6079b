import type { Clock, Random } from '@kubewright/apimachinery';
import type { ConnectSubresource, ResourceDefinition } from '@kubewright/apiserver';
import type { VirtualResource } from '@kubewright/apiserver/internal';
import type { BuiltinResource } from '@kubewright/schema/internal';
import type { ServiceAllocator } from './core/service-allocator.ts';
import type { ProxySubresource } from './subresources.ts';

/** Options for {@link builtinDefinitions}: time, randomness, and behavior implemented elsewhere. */
export interface BuiltinDefinitionsOptions {
  readonly clock: Clock;
  readonly random: Random;
  /** @defaultValue an in-memory allocator for 10.96.0.0/16; the caller must report stored services to it */
  readonly allocator?: ServiceAllocator | undefined;
  /**
   * Subresources with their own behavior: `pods/log`, `pods/exec`, `pods/eviction`, `serviceaccounts/token`, …; others return
   * 501.
   */
  readonly connect?: ReadonlyMap<string, ConnectSubresource | ProxySubresource> | undefined;
  /** Resources that are never stored, by plural: `tokenreviews`, `bindings`, …; others return 501. */
  readonly virtual?: ReadonlyMap<string, VirtualResource> | undefined;
  /** Resources defined entirely elsewhere, by plural: `customresourcedefinitions`. */
  readonly foreign?: ReadonlyMap<string, (resource: BuiltinResource) => ResourceDefinition> | undefined;
  /** Accepts loopback addresses in endpoints, which pods of a process driver use. @defaultValue false */
  readonly allowLoopbackEndpoints?: boolean | undefined;
}
