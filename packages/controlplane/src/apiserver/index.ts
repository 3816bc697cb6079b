export {
  type AdmissionAttributes,
  AdmissionChain,
  type AdmissionPlugin,
  namespaceLifecycle,
} from './admission/index.ts';
export {
  ApiServer,
  type ApiServerLimits,
  type ApiServerOptions,
  type AuditEvent,
  type NonResourceHandler,
} from './api-server.ts';
export type { Authenticator, UserInfo } from './authentication/authenticator.ts';
export type { AuthorizationAttributes, AuthorizationDecision, Authorizer } from './authorization/authorizer.ts';
export type { RequestContext } from './endpoints/index.ts';
export type { ApiHandler, ApiRequest, ApiResponse, ClientCertificate, Connection } from './http/api-request.ts';
export type { ExecOptions, LogOptions, NodeConnector } from './node-connector.ts';
export {
  type ConnectCall,
  type ConnectSubresource,
  type Conversion,
  type Draft,
  MutableCatalog,
  type ResourceCatalog,
  type ResourceDefinition,
  type Strategy,
  type StrategyContext,
  type SubresourceDefinition,
  type TableColumn,
  type VirtualResource,
} from './registry/index.ts';
export { parseRequestInfo, type RequestInfo } from './request-info/index.ts';
