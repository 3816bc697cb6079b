export { type CertificateOptions, type CertificateStore, openCertificates } from './certificate-store.ts';
export { KeyFolderError } from './key-folder.ts';
