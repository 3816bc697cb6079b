export type { RateLimitOptions } from './call/rate-limit.ts';
export { RequestError } from './call/request-error.ts';
export type { RetryPolicy } from './call/retry-policy.ts';
export type { ApiWarning } from './call/warning.ts';
export type { ClientWrite, WriteObserver, WriteOutcome } from './call/write-observer.ts';
export { KubernetesClient, type KubernetesClientOptions, type RawRequest } from './client.ts';
export type { ClientView, ImpersonatedUser } from './client-view.ts';
export type { ClientConfig } from './config/client-config.ts';
export { type ClientFromConfigOptions, clientFromConfig } from './config/client-from-config.ts';
export {
  type ConfigEnvironment,
  processEnvironment,
  type Spawner,
  type SpawnRequest,
  type SpawnResult,
} from './config/config-environment.ts';
export { ConfigError, type ConfigErrorCode } from './config/config-error.ts';
export { type LoadConfigOptions, loadClientConfig } from './config/load-client-config.ts';
export type { ApiGroup, ApiGroupVersion, ApiResource, ApiSubresource } from './discovery/api-resource.ts';
export { DiscoveryClient, type ServerVersion } from './discovery/discovery-client.ts';
export { RestMapper } from './discovery/rest-mapper.ts';
export type { CallTarget, ClientCall, ClientInterceptor, Verb } from './interceptor.ts';
export {
  type JsonPatch,
  type JsonPatchOperation,
  type MergePatch,
  mergePatchFrom,
  type Patch,
  type StrategicMergePatch,
} from './patch.ts';
export type { EvictionResult, EvictOptions } from './pods/evict.ts';
export type { CommandOutput, PodCommand } from './pods/pod-command.ts';
export type { AttachOptions, ExecOptions, PodLogOptions, PodsClient, TerminalSize } from './pods/pods-client.ts';
export type { PortForward, PortForwardOptions } from './pods/port-forward.ts';
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
  WaitForDeletionOptions,
  WatchOptions,
  WriteOptions,
} from './resource/call-options.ts';
export type { MetadataClient } from './resource/metadata-client.ts';
export type {
  ApplyConfiguration,
  ByteStream,
  DeepPartial,
  ResourceClient,
  StreamOptions,
  SubresourceClient,
} from './resource/resource-client.ts';
export * from './transport/index.ts';
export { hasCondition } from './wait/conditions.ts';
export { LineSplitter } from './watch/line-splitter.ts';
export { decodeWatchEvent } from './watch/read-watch.ts';
export type { BookmarkEvent, ErrorEvent, ObjectEvent, WatchEvent } from './watch/watch-event.ts';
