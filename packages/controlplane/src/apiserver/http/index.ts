export {
  type ApiHandler,
  type ApiRequest,
  type ApiResponse,
  type ClientCertificate,
  type Connection,
  HIJACKED,
  type UpgradedStream,
} from './api-request.ts';
export { createHttpServer, type HttpServer, type HttpServerOptions, type HttpServerTls } from './http-server.ts';
export { DEFAULT_LIMITS, type HttpLimits } from './limits.ts';
export { ListenError } from './listen-error.ts';
export { isLongRunning } from './long-running.ts';
export { readBody } from './request-body.ts';
export { failure, jsonResponse, statusResponse, tooLarge } from './status-response.ts';
