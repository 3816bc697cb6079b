export type { RateLimitOptions } from './call/rate-limit.ts';
export { RequestError } from './call/request-error.ts';
export type { RetryPolicy } from './call/retry-policy.ts';
export { KubernetesClient, type KubernetesClientOptions } from './client.ts';
export type { ClientView } from './client-view.ts';
export type { ClientConfig } from './config/client-config.ts';
export { clientFromConfig } from './config/client-from-config.ts';
export { processEnvironment } from './config/config-environment.ts';
export { ConfigError } from './config/config-error.ts';
export { type LoadConfigOptions, loadClientConfig } from './config/load-client-config.ts';
export type { ApiResource } from './discovery/api-resource.ts';
export { DiscoveryClient } from './discovery/discovery-client.ts';
export { RestMapper } from './discovery/rest-mapper.ts';
export type { ClientCall, ClientInterceptor, Verb } from './interceptor.ts';
export { type JsonPatch, type MergePatch, mergePatchFrom, type Patch, type StrategicMergePatch } from './patch.ts';
export type { EvictionResult } from './pods/evict.ts';
export type { CommandOutput, PodCommand } from './pods/pod-command.ts';
export type { PodLogOptions, PodsClient } from './pods/pods-client.ts';
export type { PortForward } from './pods/port-forward.ts';
export type { ApplyOptions, DeleteOptions, ListOptions, WatchOptions } from './resource/call-options.ts';
export type { MetadataClient } from './resource/metadata-client.ts';
export type { ApplyConfiguration, ResourceClient, SubresourceClient } from './resource/resource-client.ts';
export { type ClientCredentials, type CredentialProvider, staticCredentials } from './transport/credentials.ts';
export type { HttpTuning } from './transport/http/http-options.ts';
export { HttpTransport, type HttpTransportOptions } from './transport/http-transport.ts';
export {
  type InProcessRequest,
  type InProcessResponse,
  InProcessTransport,
  type InProcessUpgrade,
} from './transport/in-process-transport.ts';
export type { Transport, TransportRequest, TransportResponse } from './transport/transport.ts';
export { TransportError } from './transport/transport-error.ts';
export { hasCondition } from './wait/conditions.ts';
export type { WatchEvent } from './watch/watch-event.ts';
