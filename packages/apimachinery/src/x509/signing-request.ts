import type { CertificateCrypto } from './certificate-crypto.ts';
import {
  bitString,
  boolean,
  explicit,
  implicit,
  integer,
  objectIdentifier,
  octetString,
  sequence,
  time,
} from './der.ts';
import { type DerElement, membersOf, readDer, readObjectIdentifier, readString } from './der-reader.ts';
import { type CertificateSubject, pem, subjectName } from './issue-certificate.ts';

/** The cryptography that verifies a signing request; Node's `crypto` module can be passed unchanged. */
export interface SigningRequestCrypto extends CertificateCrypto {
  verify(algorithm: string | null, bytes: Uint8Array, publicKeyPem: string, signature: Uint8Array): boolean;
}

/** The parts of a certificate that the signer chooses, not its {@link SigningRequest}. */
export interface SignedCertificate {
  /** Kubernetes names of the key usages, such as `client auth`. */
  readonly usages: readonly string[];
  readonly notBeforeMs: number;
  readonly notAfterMs: number;
  readonly issuer: { readonly key: string; readonly subject: CertificateSubject };
}

const extensionRequest = '1.2.840.113549.1.9.14';
const alternativeNames = '2.5.29.17';
const [commonName, organization] = ['2.5.4.3', '2.5.4.10'];
/** Digests by signature algorithm; null for algorithms that imply their digest. */
const digests: Readonly<Record<string, string | null>> = {
  '1.2.840.113549.1.1.11': 'sha256',
  '1.2.840.113549.1.1.12': 'sha384',
  '1.2.840.113549.1.1.13': 'sha512',
  '1.2.840.10045.4.3.2': 'sha256',
  '1.2.840.10045.4.3.3': 'sha384',
  '1.2.840.10045.4.3.4': 'sha512',
  '1.3.101.112': null,
};
/** Positions of the key usage bits, counted from the left. */
const keyUsages: Readonly<Record<string, number>> = {
  signing: 0,
  'digital signature': 0,
  'content commitment': 1,
  'key encipherment': 2,
  'data encipherment': 3,
  'key agreement': 4,
  'cert sign': 5,
  'crl sign': 6,
  'encipher only': 7,
  'decipher only': 8,
};
/** Object identifiers of the extended key usages, in the order in which Go writes them. */
const purposes: Readonly<Record<string, string>> = {
  any: '2.5.29.37.0',
  'server auth': '1.3.6.1.5.5.7.3.1',
  'client auth': '1.3.6.1.5.5.7.3.2',
  'code signing': '1.3.6.1.5.5.7.3.3',
  'email protection': '1.3.6.1.5.5.7.3.4',
  's/mime': '1.3.6.1.5.5.7.3.4',
  'ipsec end system': '1.3.6.1.5.5.7.3.5',
  'ipsec tunnel': '1.3.6.1.5.5.7.3.6',
  'ipsec user': '1.3.6.1.5.5.7.3.7',
  timestamping: '1.3.6.1.5.5.7.3.8',
  'ocsp signing': '1.3.6.1.5.5.7.3.9',
  'microsoft sgc': '1.3.6.1.4.1.311.10.3.3',
  'netscape sgc': '2.16.840.1.113730.4.1',
};

/** A certificate signing request (PKCS #10, RFC 2986). */
export class SigningRequest {
  readonly commonName: string;
  readonly organizations: readonly string[];
  /** Number of alternative names of each type. */
  readonly names: { readonly dns: number; readonly ip: number; readonly email: number; readonly uri: number };
  readonly #signed: Uint8Array;
  readonly #subject: Uint8Array;
  readonly #publicKey: Uint8Array;
  readonly #alternativeNames: Uint8Array | undefined;
  readonly #algorithm: string;
  readonly #signature: Uint8Array;

  /** @param text - PEM, possibly surrounded by other text. @throws RangeError if it contains no signing request. */
  constructor(text: string) {
    const [whole] = readDer(bytesIn(text));
    const [info, algorithm, signature] = membersOf(whole, 0x30);
    const [, subject, publicKey, attributes] = membersOf(info, 0x30);
    this.#signed = info?.bytes ?? new Uint8Array();
    this.#subject = subject?.bytes ?? new Uint8Array();
    this.#publicKey = publicKey?.bytes ?? new Uint8Array();
    this.#algorithm = readObjectIdentifier(membersOf(algorithm, 0x30)[0]);
    this.#signature = signature?.content.subarray(1) ?? new Uint8Array();
    this.#alternativeNames = attributes && alternativeNamesIn(membersOf(attributes, 0xa0));
    const parts = membersOf(subject, 0x30)
      .flatMap((set) => membersOf(set, 0x31))
      .map(attributeOf);
    this.commonName = parts.find(({ type }) => type === commonName)?.value ?? '';
    this.organizations = parts.filter(({ type }) => type === organization).map(({ value }) => value);
    const tags = this.#alternativeNames
      ? membersOf(readDer(this.#alternativeNames)[0], 0x30).map(({ tag }) => tag)
      : [];
    const count = (tag: number): number => tags.filter((each) => each === tag).length;
    this.names = { dns: count(0x82), ip: count(0x87), email: count(0x81), uri: count(0x86) };
  }

  /** True if the request is signed with the private key that belongs to its public key. */
  isAuthentic(crypto: SigningRequestCrypto): boolean {
    const digest = digests[this.#algorithm];
    if (digest === undefined) return false;
    return crypto.verify(digest, this.#signed, pem('PUBLIC KEY', this.#publicKey), this.#signature);
  }

  /** Issues a certificate for the subject, key and alternative names of the request. Returns it in PEM. */
  issue({ usages, notBeforeMs, notAfterMs, issuer }: SignedCertificate, crypto: SigningRequestCrypto): string {
    const authority = crypto.createPublicKey(issuer.key).export({ type: 'spki', format: 'der' });
    const serial = Uint8Array.from(crypto.randomBytes(16));
    serial[0] = ((serial[0] as number) & 0x7f) | 0x40; // positive and full length
    const algorithm = sequence(objectIdentifier('1.2.840.10045.4.3.2'));
    const identifier = crypto.createHash('sha256').update(authority).digest().subarray(0, 20);
    const names = this.#alternativeNames;
    const body = sequence(
      explicit(0, integer(Uint8Array.of(2))),
      integer(serial),
      algorithm,
      subjectName(issuer.subject),
      sequence(time(notBeforeMs), time(notAfterMs)),
      this.#subject,
      this.#publicKey,
      explicit(
        3,
        sequence(
          ...usageExtensions(usages),
          extension('2.5.29.19', sequence(), true),
          extension('2.5.29.35', sequence(implicit(0, identifier))),
          ...(names ? [extension(alternativeNames, names)] : []),
        ),
      ),
    );
    return pem('CERTIFICATE', sequence(body, algorithm, bitString(crypto.sign('sha256', body, issuer.key))));
  }
}

function usageExtensions(usages: readonly string[]): readonly Uint8Array[] {
  const bits = usages.flatMap((usage) => keyUsages[usage] ?? []);
  const wanted = new Set(usages.flatMap((usage) => purposes[usage] ?? []));
  const ordered = [...new Set(Object.values(purposes))].filter((purpose) => wanted.has(purpose));
  return [
    ...(bits.length > 0 ? [extension('2.5.29.15', bitsOf(bits), true)] : []),
    ...(ordered.length > 0 ? [extension('2.5.29.37', sequence(...ordered.map(objectIdentifier)))] : []),
  ];
}

/** Encodes a bit string with the given bits set, without trailing zeros. */
function bitsOf(bits: readonly number[]): Uint8Array {
  const last = Math.max(...bits);
  const bytes = new Uint8Array((last >> 3) + 1);
  for (const bit of bits) bytes[bit >> 3] = (bytes[bit >> 3] as number) | (0x80 >> (bit & 7));
  return bitString(bytes, 7 - (last & 7));
}

function extension(oid: string, value: Uint8Array, isCritical = false): Uint8Array {
  return sequence(objectIdentifier(oid), ...(isCritical ? [boolean(true)] : []), octetString(value));
}

function attributeOf(element: DerElement): { readonly type: string; readonly value: string } {
  const [type, value] = membersOf(element, 0x30);
  return { type: readObjectIdentifier(type), value: readString(value) };
}

/** Returns the value of the subject alternative name extension requested in the attributes. */
function alternativeNamesIn(attributes: readonly DerElement[]): Uint8Array | undefined {
  for (const attribute of attributes) {
    const [type, values] = membersOf(attribute, 0x30);
    if (readObjectIdentifier(type) !== extensionRequest) continue;
    for (const each of membersOf(membersOf(values, 0x31)[0], 0x30)) {
      const [oid, ...rest] = membersOf(each, 0x30);
      if (readObjectIdentifier(oid) === alternativeNames) return rest.at(-1)?.content;
    }
  }
  return undefined;
}

function bytesIn(text: string): Uint8Array {
  const found = /-----BEGIN CERTIFICATE REQUEST-----([A-Za-z0-9+/=\s]+)-----END CERTIFICATE REQUEST-----/.exec(text);
  if (!found?.[1]) throw new RangeError('PEM block type must be CERTIFICATE REQUEST');
  try {
    return Uint8Array.from(atob(found[1].replace(/\s/g, '')), (character) => character.charCodeAt(0));
  } catch (error) {
    throw new RangeError('the PEM block CERTIFICATE REQUEST is not valid base64', { cause: error });
  }
}
