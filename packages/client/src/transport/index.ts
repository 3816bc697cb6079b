export {
  type InProcessRequest,
  type InProcessResponse,
  InProcessTransport,
  type InProcessTransportOptions,
} from './in-process-transport.ts';
export type { Transport, TransportRequest, TransportResponse } from './transport.ts';
export { TransportError, type TransportErrorCode } from './transport-error.ts';
