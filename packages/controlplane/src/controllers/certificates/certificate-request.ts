import type { CertificateSigningRequest } from '@kubewright/apimachinery/certificates/v1';

/** Decodes the PEM text of a certificate signing request. */
export function requestText({ spec }: CertificateSigningRequest): string {
  return Buffer.from(spec.request ?? '', 'base64').toString('latin1');
}

/** True if a request was approved or denied. */
export function isDecided(csr: CertificateSigningRequest): boolean {
  return hasCondition(csr, 'Approved') || hasCondition(csr, 'Denied');
}

/** True if a request has a condition of this type. */
export function hasCondition({ status }: CertificateSigningRequest, type: 'Approved' | 'Denied' | 'Failed'): boolean {
  return status?.conditions?.some((condition) => condition.type === type) ?? false;
}
