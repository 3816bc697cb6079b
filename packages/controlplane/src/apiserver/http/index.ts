export type {
  ApiHandler,
  ApiRequest,
  ApiResponse,
  ClientCertificate,
  Connection,
  UpgradedStream,
} from './api-request.ts';
export { createHttpServer, type HttpServer, type HttpServerOptions, type HttpServerTls } from './http-server.ts';
export type { HttpLimits } from './limits.ts';
export { ListenError } from './listen-error.ts';
