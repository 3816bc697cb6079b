import * as crypto from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { bitString, integer, objectIdentifier, sequence, setOf } from './der.ts';
import { issueCertificate, pem } from './issue-certificate.ts';
import { SigningRequest } from './signing-request.ts';
import { kubeletClientRequest, kubeletServingRequest, rsaRequest } from './testdata/signing-requests.ts';

const life = { notBeforeMs: Date.UTC(2026, 0, 1), notAfterMs: Date.UTC(2027, 0, 1) };
const subject = { commonName: 'an authority' };

function certificateOf(request: string, usages: readonly string[]) {
  const authority = issueCertificate({ subject, usage: 'authority', ...life }, crypto);
  const text = new SigningRequest(request).issue({ usages, ...life, issuer: { key: authority.key, subject } }, crypto);
  const certificate = new crypto.X509Certificate(text);
  const issuer = new crypto.X509Certificate(authority.certificate);
  expect(certificate.checkIssued(issuer)).toBe(true);
  expect(certificate.verify(issuer.publicKey)).toBe(true);
  return certificate;
}

describe('SigningRequest', () => {
  it.each([
    ['a serving certificate', kubeletServingRequest, { dns: 2, ip: 1, email: 0, uri: 0 }],
    ['a client certificate', kubeletClientRequest, { dns: 0, ip: 0, email: 0, uri: 0 }],
  ])('reads the request of a kubelet for %s', (_, text, names) => {
    const request = new SigningRequest(`some text\n${text}`);
    expect(request.commonName).toBe('system:node:worker-1');
    expect(request.organizations).toEqual(['system:nodes']);
    expect(request.names).toEqual(names);
  });

  it('rejects malformed base64 with a RangeError', () => {
    const text = '-----BEGIN CERTIFICATE REQUEST-----\nA=AA=\n-----END CERTIFICATE REQUEST-----';
    expect(() => new SigningRequest(text)).toThrow(RangeError);
  });

  it('reads several organizations', () => {
    const request = new SigningRequest(rsaRequest);
    expect([request.commonName, request.organizations]).toEqual(['jane', ['team-a', 'team-b']]);
  });

  it.each([
    ['ECDSA', kubeletServingRequest],
    ['RSA', rsaRequest],
  ])('verifies signatures of %s', (_, text) => {
    expect(new SigningRequest(text).isAuthentic(crypto)).toBe(true);
    const body = Buffer.from(text.replace(/-----.*-----/g, ''), 'base64');
    // Changes a byte of the subject.
    body[20] = (body[20] as number) ^ 1;
    const forged = `-----BEGIN CERTIFICATE REQUEST-----\n${body.toString('base64')}\n-----END CERTIFICATE REQUEST-----`;
    const isAuthentic = (): boolean => new SigningRequest(forged).isAuthentic(crypto);
    expect(orFalse(isAuthentic)).toBe(false);
  });

  it('issues a certificate for the subject, key and names of the request', () => {
    const certificate = certificateOf(kubeletServingRequest, ['digital signature', 'key encipherment', 'server auth']);
    expect(certificate.subject).toBe('O=system:nodes\nCN=system:node:worker-1');
    expect(certificate.subjectAltName).toBe('DNS:worker-1, DNS:worker-1.local, IP Address:10.0.0.5');
    expect(certificate.keyUsage).toEqual(['1.3.6.1.5.5.7.3.1']);
    expect([Date.parse(certificate.validFrom), Date.parse(certificate.validTo)]).toEqual(Object.values(life));
    expect(certificate.ca).toBe(false);
  });

  it('writes extended key usages in a fixed order, and the key of an RSA request', () => {
    const certificate = certificateOf(rsaRequest, ['client auth', 'server auth', 'cert sign', 'decipher only']);
    expect(certificate.keyUsage).toEqual(['1.3.6.1.5.5.7.3.1', '1.3.6.1.5.5.7.3.2']);
    expect(certificate.publicKey.asymmetricKeyType).toBe('rsa');
    expect(certificate.subjectAltName).toBeUndefined();
  });

  it.each([
    ['other text', 'x'],
    ['another type of PEM', kubeletClientRequest.replaceAll('CERTIFICATE REQUEST', 'CERTIFICATE')],
    ['half a request', kubeletClientRequest.replace(/\n.*\n-----END/, '\n-----END')],
    ['no DER', '-----BEGIN CERTIFICATE REQUEST-----\nAAAA\n-----END CERTIFICATE REQUEST-----'],
  ])('rejects %s', (_, text) => {
    expect(() => new SigningRequest(text)).toThrow(RangeError);
  });
});

describe('the subject of a SigningRequest', () => {
  const masters = 'system:masters';
  const wide = Buffer.from(masters, 'utf16le').swap16();

  it.each([
    ['a UTF8String', 0x0c, Buffer.from(masters)],
    ['a PrintableString', 0x13, Buffer.from(masters)],
    ['a T61String', 0x14, Buffer.from(masters)],
    ['an IA5String', 0x16, Buffer.from(masters)],
    ['a BMPString', 0x1e, wide],
  ])('is read as OpenSSL reads it: %s', (_, tag, content) => {
    const text = requestFor(tag, content);
    expect(new SigningRequest(text).organizations).toEqual([masters]);
    expect(certificateOf(text, ['client auth']).subject).toBe(`O=${masters}`);
  });

  it('is read as Latin-1 in a T61String, and keeps a byte order mark', () => {
    expect(new SigningRequest(requestFor(0x14, Uint8Array.of(0xe9))).organizations).toEqual(['é']);
    expect(new SigningRequest(requestFor(0x0c, Buffer.from('\ufeffa'))).organizations).toEqual(['\ufeffa']);
  });

  it.each([
    ['a UniversalString', 0x1c, Buffer.from('\0\0\0a')],
    ['a NumericString', 0x12, Buffer.from('1')],
    ['an OCTET STRING', 0x04, Buffer.from(masters)],
    ['a string in parts', 0x2c, Buffer.from([0x0c, 1, 0x61])],
    ['invalid UTF-8', 0x0c, Uint8Array.of(0xff)],
    ['half a character', 0x1e, wide.subarray(1)],
    ['a surrogate', 0x1e, Uint8Array.of(0xd8, 0, 0xdc, 0)],
  ])('cannot be %s', (_, tag, content) => {
    expect(() => new SigningRequest(requestFor(tag, content))).toThrow(RangeError);
  });
});

/** Returns a request with an invalid signature, whose organization is an ASN.1 string with this tag. */
function requestFor(tag: number, content: Uint8Array): string {
  const organization = setOf(
    sequence(objectIdentifier('2.5.4.10'), Buffer.concat([Uint8Array.of(tag, content.length), content])),
  );
  const { publicKey } = crypto.generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const key = publicKey.export({ type: 'spki', format: 'der' });
  const info = sequence(integer(Uint8Array.of(0)), sequence(organization), key);
  const algorithm = sequence(objectIdentifier('1.2.840.10045.4.3.2'));
  return pem('CERTIFICATE REQUEST', sequence(info, algorithm, bitString(new Uint8Array(64))));
}

/** Returns false if the check throws: a forged request may be unreadable. */
function orFalse(check: () => boolean): boolean {
  try {
    return check();
  } catch {
    return false;
  }
}
