export { builtinDefinitions } from './builtin-definitions.ts';
export type { BuiltinDefinitionsOptions } from './builtin-options.ts';
export { podBindings } from './core/pod-bindings.ts';
export {
  type AllocatedService,
  type AllocationRequest,
  type MemoryServiceAllocatorOptions,
  memoryServiceAllocator,
  type ServiceAllocator,
} from './core/service-allocator.ts';
export { eventTtlSeconds } from './events/event.ts';
export { builtinPriorities } from './group-priorities.ts';
export type { ProxySubresource } from './subresources.ts';
