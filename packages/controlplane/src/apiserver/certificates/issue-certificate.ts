import { createHash, createPrivateKey, createPublicKey, generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import { isIP } from 'node:net';
import {
  bitString,
  boolean,
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

/** A private key and the certificate of its public half, PEM. */
export interface KeyPair {
  readonly key: string;
  readonly certificate: string;
}

/** The name in a certificate, as Kubernetes uses it: common name = user, organizations = groups. */
export interface CertificateSubject {
  readonly commonName: string;
  readonly organizations?: readonly string[] | undefined;
}

/** What {@link issueCertificate} puts into a certificate. */
export interface CertificateRequest {
  readonly subject: CertificateSubject;
  readonly usage: 'authority' | 'server' | 'client';
  /** DNS names and IP addresses that a server answers under. */
  readonly hosts?: readonly string[] | undefined;
  readonly notBeforeMs: number;
  readonly notAfterMs: number;
  /** Who signs, with the name in its certificate. @defaultValue the new key itself */
  readonly issuer?: { readonly key: string; readonly subject: CertificateSubject } | undefined;
}

/** Makes an ECDSA P-256 key pair, PEM (PKCS #8 and SPKI): the fastest to make that every client understands. */
export function makeKeys(): { readonly privateKey: string; readonly publicKey: string } {
  return generateKeyPairSync('ec', {
    namedCurve: 'P-256',
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  });
}

/** Makes a key and a certificate for it (X.509 v3, RFC 5280), signed with ECDSA and SHA-256. */
export function issueCertificate(request: CertificateRequest): KeyPair {
  const { privateKey, publicKey } = makeKeys();
  const issuer = request.issuer ?? { key: privateKey, subject: request.subject };
  const algorithm = sequence(objectIdentifier('1.2.840.10045.4.3.2'));
  const body = sequence(
    explicit(0, integer(Uint8Array.of(2))),
    integer(serialNumber()),
    algorithm,
    name(issuer.subject),
    sequence(time(request.notBeforeMs), time(request.notAfterMs)),
    name(request.subject),
    spki(publicKey),
    explicit(3, sequence(...extensions(request, { own: publicKey, issuer: issuer.key }))),
  );
  const signature = sign('sha256', body, createPrivateKey(issuer.key));
  return { key: privateKey, certificate: pem(sequence(body, algorithm, bitString(signature))) };
}

function extensions(
  request: CertificateRequest,
  keys: { readonly own: string; readonly issuer: string },
): readonly Uint8Array[] {
  const { usage, hosts = [] } = request;
  const isAuthority = usage === 'authority';
  // Bits from the left: digitalSignature 0, keyCertSign 5, cRLSign 6.
  const keyUsage = isAuthority ? bitString(Uint8Array.of(0b1000_0110), 1) : bitString(Uint8Array.of(0b1000_0000), 7);
  const list = [
    extension('2.5.29.19', isAuthority ? sequence(boolean(true)) : sequence(), { critical: true }),
    extension('2.5.29.15', keyUsage, { critical: true }),
    extension('2.5.29.14', octetString(keyIdentifier(keys.own))),
    extension('2.5.29.35', sequence(implicit(0, keyIdentifier(keys.issuer)))),
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
  return isIP(host) ? implicit(7, addressBytes(host)) : implicit(2, Buffer.from(host, 'ascii'));
}

/** The bytes of an IPv4 address or of an IPv6 address without embedded IPv4. */
function addressBytes(address: string): Uint8Array {
  if (isIP(address) === 4) return Uint8Array.from(address.split('.').map(Number));
  const [head = '', tail] = address.split('::');
  const words = (part: string): number[] =>
    part === '' ? [] : part.split(':').map((word) => Number.parseInt(word, 16));
  const [left, right] = [words(head), words(tail ?? '')];
  const all = [...left, ...new Array<number>(8 - left.length - right.length).fill(0), ...right];
  return Uint8Array.from(all.flatMap((word) => [word >> 8, word & 0xff]));
}

function name(subject: CertificateSubject): Uint8Array {
  const attribute = (oid: string, value: string): Uint8Array =>
    setOf(sequence(objectIdentifier(oid), utf8String(value)));
  const organizations = (subject.organizations ?? []).map((value) => attribute('2.5.4.10', value));
  return sequence(...organizations, attribute('2.5.4.3', subject.commonName));
}

function spki(key: string): Uint8Array {
  return createPublicKey(key).export({ type: 'spki', format: 'der' });
}

/** Method 1 of RFC 7093 §2: the left 160 bits of the key's SHA-256. */
function keyIdentifier(key: string): Uint8Array {
  return createHash('sha256').update(spki(key)).digest().subarray(0, 20);
}

function serialNumber(): Uint8Array {
  const bytes = randomBytes(16);
  bytes[0] = ((bytes[0] as number) & 0x7f) | 0x40; // positive, and of full length
  return bytes;
}

function pem(der: Uint8Array): string {
  const lines =
    Buffer.from(der)
      .toString('base64')
      .match(/.{1,64}/g) ?? [];
  return `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`;
}
