export type { CallTarget, ClientCall, ClientInterceptor, Verb } from './interceptor.ts';
export type { JsonPatch, JsonPatchOperation, MergePatch, Patch, StrategicMergePatch } from './patch.ts';
export type {
  ApplyOptions,
  CallOptions,
  CollectionScope,
  DeleteCollectionOptions,
  DeleteOptions,
  GetOptions,
  ListOptions,
  Preconditions,
  SelectorInput,
  WatchOptions,
  WriteOptions,
} from './resource/call-options.ts';
export type {
  ApplyConfiguration,
  ByteStream,
  DeepPartial,
  ResourceClient,
  StreamOptions,
  SubresourceClient,
} from './resource/resource-client.ts';
export * from './transport/index.ts';
export type { BookmarkEvent, ErrorEvent, ObjectEvent, WatchEvent } from './watch/watch-event.ts';
