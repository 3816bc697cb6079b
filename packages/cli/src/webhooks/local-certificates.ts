import * as crypto from 'node:crypto';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { issueCertificate } from '@kubewright/apimachinery';
import type { KeyPair } from '@kubewright/apimachinery/internal';

/** The CA of one `dev` run and the certificate it has signed, valid only for this machine. */
export interface LocalCertificates extends Disposable {
  /** The CA certificate in PEM format. The CA's key is discarded, because the CA signs nothing else. */
  readonly authority: string;
  readonly pair: KeyPair;
  /** Folder of the key pair for the operator, in kubebuilder's layout. */
  readonly folder: string;
}

const backdateMs = 3_600_000;
const lifeMs = 30 * 86_400_000;

/** Validity and subject of the certificates. */
export interface LocalCertificateOptions {
  readonly nowMs: number;
  /** Another name or address that clients call. @defaultValue loopback only */
  readonly host?: string | undefined;
}

/** Creates certificates in memory. The operator's key pair is stored until disposal, in a folder that only the user can read. */
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
