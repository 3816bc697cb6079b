import * as crypto from 'node:crypto';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { issueCertificate, type KeyPair } from '@kubewright/apimachinery';

/** An authority of one run of `dev`, and what it has signed: for this machine only. */
export interface LocalCertificates extends Disposable {
  /** PEM. The authority's key is not kept: nothing else is ever signed with it. */
  readonly authority: string;
  readonly pair: KeyPair;
  /** Where the operator finds the pair, in kubebuilder's layout. */
  readonly folder: string;
}

const backdateMs = 3_600_000;
const lifeMs = 30 * 86_400_000;

/** When certificates are made, and for whom. */
export interface LocalCertificateOptions {
  readonly nowMs: number;
  /** Another name or address that is called. @defaultValue loopback only */
  readonly host?: string | undefined;
}

/** Makes certificates in memory; the operator's are in a folder that only the user can read, until the end. */
export function localCertificates(
  folder: string,
  { nowMs, host = '127.0.0.1' }: LocalCertificateOptions,
): LocalCertificates {
  const life = { notBeforeMs: nowMs - backdateMs, notAfterMs: nowMs + lifeMs };
  const subject = { commonName: 'kubewright dev' };
  const authority = issueCertificate({ subject, usage: 'authority', ...life }, crypto);
  const pair = issueCertificate(
    {
      subject: { commonName: '127.0.0.1' },
      usage: 'server',
      hosts: [...new Set(['127.0.0.1', 'localhost', host])],
      issuer: { key: authority.key, subject },
      ...life,
    },
    crypto,
  );
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  writeFileSync(join(folder, 'tls.crt'), pair.certificate, { mode: 0o600 });
  writeFileSync(join(folder, 'tls.key'), pair.key, { mode: 0o600 });
  return {
    authority: authority.certificate,
    pair,
    folder,
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  };
}
