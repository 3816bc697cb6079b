export type {
  ApiHandler,
  ApiRequest,
  ApiResponse,
  ClientCertificate,
  Connection,
  UpgradedStream,
} from './api-request.ts';
