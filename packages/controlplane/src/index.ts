// Kept in the declarations, which refer to Node's types, so users need not list @types/node.
/// <reference types="@types/node/index.d.ts" preserve="true" />

export type { ApiServerLimits } from '@kubewright/apiserver';
export { type HttpLimits, KeyFolderError, ListenError } from '@kubewright/apiserver';
export * from './cluster/index.ts';
export type {
  AttachOptions,
  CheckOptions,
  ExecOptions,
  LogOptions,
  NodeConnector,
  PortForwardOptions,
  TerminalSize,
} from './kube-apiserver/pods/node-connector.ts';
