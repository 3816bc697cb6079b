import { createPrivateKey, X509Certificate } from 'node:crypto';
import type { KeyPair } from '@kubewright/apimachinery/internal';
import { CertificateError } from './certificate-error.ts';

/**
 * Checks that a server can use a certificate and its key: both are readable, and they match.
 *
 * @throws CertificateError (KW3030) when they are not readable or do not match.
 */
export function checkKeyPair(pair: KeyPair, what: string): void {
  let fits: boolean;
  try {
    fits = new X509Certificate(pair.certificate).checkPrivateKey(createPrivateKey(pair.key));
  } catch (cause) {
    throw new CertificateError({ what: `cannot read ${what}`, why: 'not a PEM certificate and key' }, { cause });
  }
  if (!fits) throw new CertificateError({ what: `cannot use ${what}`, why: 'the key does not match the certificate' });
}
