export { KeyFolderError } from './apiserver/certificates/index.ts';
export { ListenError } from './apiserver/http/index.ts';
export type { ExecOptions, LogOptions, NodeConnector } from './apiserver/node-connector.ts';
export * from './cluster/index.ts';
