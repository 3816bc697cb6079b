// Kept in the emitted declarations, which refer to Node's types, so that users do not have to list @types/node.

/// <reference types="@types/node/index.d.ts" preserve="true" />

export type { AdmissionAttributes, AdmissionPlugin } from './admission/admission-plugin.ts';
export { namespaceLifecycle } from './admission/namespace-lifecycle.ts';
export { ApiServer } from './api-server.ts';
export type { ApiServerOptions, NonResourceHandler } from './api-server-options.ts';
export type { Authenticator, UserInfo } from './authentication/authenticator.ts';
export { certificateAuthenticator } from './authentication/certificate-authenticator.ts';
export { StaticTokenAuthenticator } from './authentication/static-token-authenticator.ts';
export type { AuthorizationAttributes, AuthorizationDecision, Authorizer } from './authorization/authorizer.ts';
export { superuserAuthorizer, UnionAuthorizer } from './authorization/union-authorizer.ts';
export { discoveryHandler } from './discovery/discovery-handler.ts';
export type { GroupPriorities } from './discovery/priorities.ts';
export { rootHandler } from './discovery/root-handler.ts';
export { type ComputedChange, computed } from './extension/computed-kind.ts';
export { apiServer, type ExtensionServer } from './extension/extension-server.ts';
export type { ExtensionServerOptions } from './extension/extension-server-options.ts';
export { type HealthCheck, healthHandler } from './health/health-handler.ts';
export { versionHandler } from './health/version-handler.ts';
export type { ApiHandler, ApiRequest, ApiResponse, Connection } from './http/api-request.ts';
export { createHttpServer, type HttpServer } from './http/http-server.ts';
export { ListenError } from './http/listen-error.ts';
export { openApiHandler } from './openapi/open-api-handler.ts';
export { MutableCatalog, type ResourceCatalog } from './registry/resource-catalog.ts';
export type { ConnectSubresource, ResourceDefinition, SubresourceDefinition } from './registry/resource-definition.ts';
export type { Draft, Strategy } from './registry/strategy.ts';
export { MemoryStorage } from './storage/memory-storage.ts';
export { openDiskStorage } from './storage/open-disk-storage.ts';
export { openEtcdStorage } from './storage/open-etcd-storage.ts';
export type { Storage } from './storage/storage.ts';
