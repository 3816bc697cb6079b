// Kept in the declarations, which name Node's types: whoever compiles against them need not list these.
/// <reference types="@types/node/index.d.ts" preserve="true" />

export type { ApiServerLimits } from './apiserver/api-server.ts';
export { KeyFolderError } from './apiserver/certificates/index.ts';
export { type HttpLimits, ListenError } from './apiserver/http/index.ts';
export type {
  AttachOptions,
  CheckOptions,
  ExecOptions,
  LogOptions,
  NodeConnector,
  PortForwardOptions,
  TerminalSize,
} from './apiserver/node-connector.ts';
export * from './cluster/index.ts';
