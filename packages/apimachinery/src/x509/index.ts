export type { CertificateCrypto } from './certificate-crypto.ts';
export {
  type CertificateRequest,
  type CertificateSubject,
  issueCertificate,
  type KeyPair,
  makeKeys,
} from './issue-certificate.ts';
export { type TrustBundleOptions, trustBundle } from './trust-bundle.ts';
