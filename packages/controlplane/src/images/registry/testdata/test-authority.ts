import * as crypto from 'node:crypto';
import { issueCertificate } from '@kubewright/apimachinery';

/** Certificates of a server (PEM), and of the authority that issued it. */
export function testCertificates(host = '127.0.0.1'): { readonly authority: string; readonly server: { readonly key: string; readonly cert: string } } {
  const times = { notBeforeMs: Date.now() - 3_600_000, notAfterMs: Date.now() + 3_600_000 };
  const subject = { commonName: 'authority' };
  const authority = issueCertificate({ subject, usage: 'authority', ...times }, crypto);
  const issuer = { key: authority.key, subject };
  const own = { subject: { commonName: 'registry' }, usage: 'server', hosts: [host], issuer, ...times } as const;
  const { certificate: cert, key } = issueCertificate(own, crypto);
  return { authority: authority.certificate, server: { key, cert } };
}
