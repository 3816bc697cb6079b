import type { CertificateCrypto } from './certificate-crypto.ts';
import {
  bitString,
  boolean,
  bytesOf,
  explicit,
  implicit,
  integer,
  objectIdentifier,
  octetString,
  sequence,
  setOf,
  time,
  utf8String,
} from './der.ts';
import { addressBytes } from './ip-address.ts';

/** A private key and the certificate for its public key, both in PEM. */
export interface KeyPair {
  readonly key: string;
  readonly certificate: string;
}

/** The subject of a certificate, as Kubernetes uses it: common name = user, organizations = groups. */
export interface CertificateSubject {
  readonly commonName: string;
  readonly organizations?: readonly string[] | undefined;
}

/** The content of a certificate for {@link issueCertificate}. */
export interface CertificateRequest {
  readonly subject: CertificateSubject;
  readonly usage: 'authority' | 'server' | 'client';
  /** DNS names and IP addresses of a server. */
  readonly hosts?: readonly string[] | undefined;
  readonly notBeforeMs: number;
  readonly notAfterMs: number;
  /** The signing key and the subject of its certificate. @defaultValue the new key: the certificate is self-signed */
  readonly issuer?: { readonly key: string; readonly subject: CertificateSubject } | undefined;
}

/**
 * Generates an ECDSA P-256 key pair in PEM (PKCS #8 and SPKI). Of the key types that every client supports, P-256 is
 * the fastest to generate.
 */
function makeKeys(crypto: CertificateCrypto): { readonly privateKey: string; readonly publicKey: string } {
  return crypto.generateKeyPairSync('ec', {
    namedCurve: 'P-256',
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  });
}

/**
 * Generates a key (ECDSA P-256) and a certificate for it (X.509 v3, RFC 5280), both PEM, signed with ECDSA and SHA-256.
 *
 * @example
 * ```ts
 * import * as crypto from 'node:crypto';
 *
 * const times = { notBeforeMs: now, notAfterMs: now + 90 * 86_400_000 };
 * const subject = { commonName: 'my-authority' };
 * const authority = issueCertificate({ subject, usage: 'authority', ...times }, crypto);
 * const issuer = { key: authority.key, subject };
 * const server = issueCertificate(
 *   { subject: { commonName: 'db' }, usage: 'server', hosts: ['db.default.svc'], issuer, ...times },
 *   crypto,
 * );
 * ```
 * @param crypto - Node's `crypto` module, which this package does not import itself.
 */
export function issueCertificate(request: CertificateRequest, crypto: CertificateCrypto): KeyPair {
  const { privateKey } = makeKeys(crypto);
  const issuer = request.issuer ?? { key: privateKey, subject: request.subject };
  const spki = (key: string): Uint8Array => crypto.createPublicKey(key).export({ type: 'spki', format: 'der' });
  // Method 1 of RFC 7093 §2: the leftmost 160 bits of the key's SHA-256.
  const identifier = (key: string): Uint8Array =>
    crypto.createHash('sha256').update(spki(key)).digest().subarray(0, 20);
  const serial = Uint8Array.from(crypto.randomBytes(16));
  serial[0] = ((serial[0] as number) & 0x7f) | 0x40; // positive and full length
  const algorithm = sequence(objectIdentifier('1.2.840.10045.4.3.2'));
  const body = sequence(
    explicit(0, integer(Uint8Array.of(2))),
    integer(serial),
    algorithm,
    subjectName(issuer.subject),
    sequence(time(request.notBeforeMs), time(request.notAfterMs)),
    subjectName(request.subject),
    spki(privateKey),
    explicit(3, sequence(...extensions(request, { own: identifier(privateKey), issuer: identifier(issuer.key) }))),
  );
  const signature = crypto.sign('sha256', body, issuer.key);
  return { key: privateKey, certificate: pem('CERTIFICATE', sequence(body, algorithm, bitString(signature))) };
}

function extensions(
  request: CertificateRequest,
  identifiers: { readonly own: Uint8Array; readonly issuer: Uint8Array },
): readonly Uint8Array[] {
  const { usage, hosts = [] } = request;
  const isAuthority = usage === 'authority';
  // Bits from the left: digitalSignature 0, keyCertSign 5, cRLSign 6.
  const keyUsage = isAuthority ? bitString(Uint8Array.of(0b1000_0110), 1) : bitString(Uint8Array.of(0b1000_0000), 7);
  const list = [
    extension('2.5.29.19', isAuthority ? sequence(boolean(true)) : sequence(), { critical: true }),
    extension('2.5.29.15', keyUsage, { critical: true }),
    extension('2.5.29.14', octetString(identifiers.own)),
    extension('2.5.29.35', sequence(implicit(0, identifiers.issuer))),
  ];
  if (!isAuthority) {
    const purpose = usage === 'server' ? '1.3.6.1.5.5.7.3.1' : '1.3.6.1.5.5.7.3.2';
    list.push(extension('2.5.29.37', sequence(objectIdentifier(purpose))));
  }
  if (hosts.length > 0) list.push(extension('2.5.29.17', sequence(...hosts.map(generalName))));
  return list;
}

function extension(oid: string, value: Uint8Array, options?: { readonly critical: boolean }): Uint8Array {
  return sequence(objectIdentifier(oid), ...(options?.critical ? [boolean(true)] : []), octetString(value));
}

function generalName(host: string): Uint8Array {
  const address = addressBytes(host);
  return address ? implicit(7, address) : implicit(2, bytesOf(host));
}

/** Encodes a subject as the name in a certificate. */
export function subjectName(subject: CertificateSubject): Uint8Array {
  const attribute = (oid: string, value: string): Uint8Array =>
    setOf(sequence(objectIdentifier(oid), utf8String(value)));
  const organizations = (subject.organizations ?? []).map((value) => attribute('2.5.4.10', value));
  return sequence(...organizations, attribute('2.5.4.3', subject.commonName));
}

/** Encodes bytes as PEM. */
export function pem(type: string, der: Uint8Array): string {
  const lines = btoa(String.fromCharCode(...der)).match(/.{1,64}/g) ?? [];
  return `-----BEGIN ${type}-----\n${lines.join('\n')}\n-----END ${type}-----\n`;
}
