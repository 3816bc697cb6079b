export { type CertificateOptions, type CertificateStore, openCertificates } from './certificate-store.ts';
export {
  type CertificateRequest,
  type CertificateSubject,
  issueCertificate,
  type KeyPair,
} from './issue-certificate.ts';
export { KeyFolderError } from './key-folder.ts';
