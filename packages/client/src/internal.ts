/**
 * Exports for the other packages of Kubewright. Not part of the public API: it changes without notice, and programs that
 * use Kubewright must not import it.
 *
 * @internal
 * @packageDocumentation
 */
export type { WriteObserver, WriteOutcome } from './call/write-observer.ts';
export type { ApiGroup } from './discovery/api-resource.ts';
export type { CallTarget } from './interceptor.ts';
export { EnvironmentProxy } from './transport/http/environment-proxy.ts';
export { nodeHttp } from './transport/http/node-http.ts';
export { isTemporaryNetworkError } from './transport/temporary-network-error.ts';
export { LineSplitter } from './watch/line-splitter.ts';
