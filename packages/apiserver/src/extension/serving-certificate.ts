import * as crypto from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { issueCertificate } from '@kubewright/apimachinery';
import type { KeyPair } from '@kubewright/apimachinery/internal';

const backdateMs = 3_600_000;
const lifeMs = 365 * 86_400_000;

/** The certificate of a server and the CA that clients verify it with. */
export interface ServingCertificate extends KeyPair {
  /** In PEM format; undefined for a certificate from files, whose CA is unknown to the server. */
  readonly authority: string | undefined;
}

/** Issues a certificate that is valid for a year, signed by a new CA whose key is discarded. */
export function ownCertificate({
  hosts,
  nowMs,
}: {
  readonly hosts: readonly string[];
  readonly nowMs: number;
}): ServingCertificate {
  const life = { notBeforeMs: nowMs - backdateMs, notAfterMs: nowMs + lifeMs };
  const subject = { commonName: 'extension-apiserver-ca' };
  const authority = issueCertificate({ subject, usage: 'authority', ...life }, crypto);
  const issuer = { key: authority.key, subject };
  const own = { subject: { commonName: hosts[0] ?? 'localhost' }, usage: 'server', hosts, issuer } as const;
  return { ...issueCertificate({ ...own, ...life }, crypto), authority: authority.certificate };
}

/** Reads `tls.crt` and `tls.key`, the file names in a Secret of type `kubernetes.io/tls`. */
export async function certificateFrom(folder: string): Promise<ServingCertificate> {
  const [certificate, key] = await Promise.all(
    ['tls.crt', 'tls.key'].map((name) => readFile(join(folder, name), 'utf8')),
  );
  return { certificate: certificate ?? '', key: key ?? '', authority: undefined };
}
