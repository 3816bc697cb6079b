export { type CertificateOptions, type CertificateStore, FRONT_PROXY, openCertificates } from './certificate-store.ts';
export { KeyFolderError } from './key-folder.ts';
