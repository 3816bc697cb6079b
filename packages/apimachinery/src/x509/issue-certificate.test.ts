import * as crypto from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { addressBytes } from './ip-address.ts';
import { type CertificateRequest, issueCertificate } from './issue-certificate.ts';

const start = Date.UTC(2026, 0, 1);
const life = { notBeforeMs: start, notAfterMs: Date.UTC(2051, 5, 1, 12, 30, 15) };
const authority: CertificateRequest = { subject: { commonName: 'an authority' }, usage: 'authority', ...life };

describe('issueCertificate', () => {
  it('issues an authority that signs itself and other certificates', () => {
    const ca = issueCertificate(authority, crypto);
    const leaf = issueCertificate(
      {
        subject: { commonName: 'süß', organizations: ['a', 'b'] },
        usage: 'server',
        hosts: ['web.shop.svc', '10.1.2.3', 'fe80::1'],
        ...life,
        issuer: { key: ca.key, subject: authority.subject },
      },
      crypto,
    );
    const [root, server] = [new crypto.X509Certificate(ca.certificate), new crypto.X509Certificate(leaf.certificate)];
    expect(root.verify(root.publicKey)).toBe(true);
    expect(server.checkIssued(root)).toBe(true);
    expect(server.verify(root.publicKey)).toBe(true);
    expect(server.checkPrivateKey(crypto.createPrivateKey(leaf.key))).toBe(true);
    expect(server.subject).toBe('O=a\nO=b\nCN=süß');
    expect(server.subjectAltName).toBe('DNS:web.shop.svc, IP Address:10.1.2.3, IP Address:FE80:0:0:0:0:0:0:1');
  });

  it('writes times before and after 2050 as X.509 requires', () => {
    const certificate = new crypto.X509Certificate(issueCertificate(authority, crypto).certificate);
    expect(Date.parse(certificate.validFrom)).toBe(life.notBeforeMs);
    expect(Date.parse(certificate.validTo)).toBe(life.notAfterMs);
  });
});

describe('addressBytes', () => {
  it.each([
    ['0.0.0.0', [0, 0, 0, 0]],
    ['255.1.20.3', [255, 1, 20, 3]],
    ['::', new Array<number>(16).fill(0)],
    ['::1', [...new Array<number>(15).fill(0), 1]],
    ['2001:db8::ff00:42', [0x20, 1, 0x0d, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0, 0, 0x42]],
    ['1:2:3:4:5:6:7:8', [0, 1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6, 0, 7, 0, 8]],
  ])('parses %s', (text, bytes) => {
    expect([...(addressBytes(text) ?? [])]).toEqual(bytes);
  });

  it.each(['localhost', '1.2.3', '1.2.3.256', '01.2.3.4', '1:2', '1::2::3', '1:2:3:4:5:6:7::8', 'g::1', ':1'])(
    'does not parse %s',
    (text) => {
      expect(addressBytes(text)).toBeUndefined();
    },
  );
});
