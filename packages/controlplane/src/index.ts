export { KeyFolderError } from './apiserver/certificates/index.ts';
export { ListenError } from './apiserver/http/index.ts';
export * from './cluster/index.ts';
