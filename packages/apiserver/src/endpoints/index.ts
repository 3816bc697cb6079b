export { statusAnswer, statusOf } from './answer.ts';
export { authorizeRequest } from './authorize.ts';
export { impersonate } from './impersonate.ts';
export { InFlight } from './in-flight.ts';
export type { RequestContext } from './request-context.ts';
export type { EndpointOptions } from './resource-call.ts';
export { resourceEndpoint } from './resource-endpoint.ts';
export { WarningList } from './warnings.ts';
