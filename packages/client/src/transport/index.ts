export { type ClientCredentials, type CredentialProvider, staticCredentials } from './credentials.ts';
export type { HttpTuning, ServerTrust } from './http/http-options.ts';
export { HttpTransport, type HttpTransportOptions } from './http-transport.ts';
export {
  type InProcessRequest,
  type InProcessResponse,
  InProcessTransport,
  type InProcessTransportOptions,
  type InProcessUpgrade,
} from './in-process-transport.ts';
export type { BodyStream, Transport, TransportRequest, TransportResponse } from './transport.ts';
export { TransportError, type TransportErrorCode } from './transport-error.ts';
