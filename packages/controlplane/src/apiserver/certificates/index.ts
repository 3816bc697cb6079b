export { type CertificateOptions, type CertificateStore, openCertificates } from './certificate-store.ts';
export type {
  CertificateRequest,
  CertificateSubject,
  KeyPair,
} from './issue-certificate.ts';
export { KeyFolderError } from './key-folder.ts';
