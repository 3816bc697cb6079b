import type { Clock, Random } from '@kubewright/apimachinery';
import type { ConnectSubresource, ResourceDefinition } from '@kubewright/apiserver';
import type { VirtualResource } from '@kubewright/apiserver/internal';
import type { BuiltinResource } from '@kubewright/schema/internal';
import type { ServiceAllocator } from './core/service-allocator.ts';
import type { ProxySubresource } from './subresources.ts';

/** Options for {@link builtinDefinitions}: time, randomness, and behavior that is implemented elsewhere. */
export interface BuiltinDefinitionsOptions {
  readonly clock: Clock;
  readonly random: Random;
  /** @defaultValue an in-memory allocator for 10.96.0.0/16. The caller must report stored Services to it. */
  readonly allocator?: ServiceAllocator | undefined;
  /** Subresources with their own behavior, by path: `pods/log`, `pods/exec`, `serviceaccounts/token`, …. All others return 501. */
  readonly connect?: ReadonlyMap<string, ConnectSubresource | ProxySubresource> | undefined;
  /** Resources that are never stored, by plural name: `tokenreviews`, `bindings`, …. All others return 501. */
  readonly virtual?: ReadonlyMap<string, VirtualResource> | undefined;
  /** Resources that are defined elsewhere, by plural name: `customresourcedefinitions`. */
  readonly foreign?: ReadonlyMap<string, (resource: BuiltinResource) => ResourceDefinition> | undefined;
  /** Allows loopback addresses as endpoints, because pods of the process driver use them. @defaultValue false */
  readonly allowLoopbackEndpoints?: boolean | undefined;
}
