export type { Call, WriteCall } from './call.ts';
export { ConvertedStorage } from './converted-storage.ts';
export { createObject } from './create.ts';
export { checkObjectKey, decodeDraft } from './decode-draft.ts';
export { type Deleted, deleteObject } from './delete.ts';
export { type DeleteOptions, readDeleteOptions } from './delete-options.ts';
export { type ListOptions, readListOptions } from './list-options.ts';
export { decodePatched, patchObject } from './patch.ts';
export { type PatchType, patchTypeOf, patchTypes } from './patch-body.ts';
export { readWriteOptions, type WriteOptions } from './query-options.ts';
export { getObject, listObjects, type Page } from './read.ts';
export { Registry } from './registry.ts';
export type { RegistryServices } from './registry-services.ts';
export { MutableCatalog, type ResourceCatalog } from './resource-catalog.ts';
export type {
  ComputedList,
  ComputedRequest,
  ComputedResource,
  ComputedSelection,
  ConnectCall,
  ConnectSubresource,
  Conversion,
  ProxyConnection,
  ProxySubresource,
  ResourceDefinition,
  ScaleSubresource,
  StatusSubresource,
  SubresourceDefinition,
  TableColumn,
  VirtualResource,
} from './resource-definition.ts';
export { readSelection, type Selection } from './selection.ts';
export { encodeStored } from './served-form.ts';
export type { Draft, DraftMetadata, Strategy, StrategyContext } from './strategy.ts';
export { type Updated, updateObject } from './update.ts';
