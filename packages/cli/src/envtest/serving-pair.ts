import * as crypto from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { issueCertificate } from '@kubewright/apimachinery';
import type { KeyPair } from '@kubewright/apimachinery/internal';

const dayMs = 86_400_000;

/**
 * Returns the serving certificate `apiserver.crt` and its key in the folder of `--cert-dir`. If the pair is missing,
 * issues one. Stores it in the folder together with the CA that signed the certificate, as kube-apiserver does, so that
 * clients can trust the file.
 */
export function servingPair(
  folder: string,
  options: { readonly hosts: readonly string[]; readonly nowMs: number },
): KeyPair {
  const files = { certificate: join(folder, 'apiserver.crt'), key: join(folder, 'apiserver.key') };
  if (existsSync(files.certificate) && existsSync(files.key)) {
    return { certificate: readFileSync(files.certificate, 'utf8'), key: readFileSync(files.key, 'utf8') };
  }
  const {
    nowMs,
    hosts: [host = '127.0.0.1', ...further],
  } = options;
  const life = { notBeforeMs: nowMs - dayMs / 24, notAfterMs: nowMs + 365 * dayMs };
  const subject = { commonName: `${host}-ca` };
  const authority = issueCertificate({ subject, usage: 'authority', ...life }, crypto);
  const hosts = [
    ...new Set([
      host,
      ...further,
      'localhost',
      '127.0.0.1',
      'kubernetes',
      'kubernetes.default',
      'kubernetes.default.svc',
    ]),
  ];
  const issuer = { key: authority.key, subject };
  const leaf = issueCertificate({ subject: { commonName: host }, usage: 'server', hosts, issuer, ...life }, crypto);
  const pair = { certificate: `${leaf.certificate}${authority.certificate}`, key: leaf.key };
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  writeFileSync(files.key, pair.key, { mode: 0o600 });
  writeFileSync(files.certificate, pair.certificate);
  return pair;
}
