import { X509Certificate } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { nextCertificates } from './certificates.ts';

const dayMs = 86_400_000;
const startMs = Date.parse('2026-01-01T00:00:00Z');
const at = (day: number) => ({ cluster: 'shop', namespace: 'prod', nowMs: startMs + day * dayMs });
const first = nextCertificates({}, at(0));
const verifies = (certificate: string, authority: string | undefined) =>
  new X509Certificate(certificate).verify(new X509Certificate(authority ?? '').publicKey);

describe('nextCertificates', () => {
  it('issues a server certificate for the Services, and client certificates for the roles', () => {
    const server = new X509Certificate(first.server.certificate);
    for (const host of ['shop-rw', 'shop-ro.prod', 'shop-r.prod.svc', 'shop-rw.prod.svc.cluster.local'])
      expect(server.checkHost(host)).toBe(host);
    expect(new X509Certificate(first.replication.certificate).subject).toBe('CN=streaming_replica');
    expect(new X509Certificate(first.operator.certificate).subject).toBe('CN=postgres');
    for (const { certificate } of [first.server, first.replication, first.operator])
      expect(verifies(certificate, first.authority.bundle[0])).toBe(true);
  });

  it('keeps certificates that are not due for renewal', () => {
    expect(nextCertificates(first, at(59))).toEqual(first);
  });

  it('renews certificates 30 days before they expire', () => {
    const next = nextCertificates(first, at(60));
    expect(next.authority).toEqual(first.authority);
    expect(next.server.certificate).not.toBe(first.server.certificate);
    expect(next.operator.certificate).not.toBe(first.operator.certificate);
  });

  it('distributes a new authority for a day before it signs certificates', () => {
    const before = nextCertificates(first, at(300));
    const next = nextCertificates(before, at(305));
    expect(next.authority.bundle).toHaveLength(2);
    expect(next.authority.bundle[1]).toBe(first.authority.bundle[0]);
    expect(next.server).toEqual(before.server);
    const later = nextCertificates(next, at(306));
    expect(verifies(later.server.certificate, next.authority.bundle[0])).toBe(true);
    expect(nextCertificates(later, at(366)).authority.bundle).toEqual([next.authority.bundle[0]]);
  });

  it('replaces a certificate that lacks a name, does not match its key, or comes from another authority', () => {
    const renamed = nextCertificates(first, { ...at(1), namespace: 'test' });
    expect(renamed.server).not.toEqual(first.server);
    expect(renamed.replication).toEqual(first.replication);
    const foreign = nextCertificates({}, at(0));
    const mixed = nextCertificates({ ...first, operator: foreign.operator }, at(1));
    expect(verifies(mixed.operator.certificate, first.authority.bundle[0])).toBe(true);
    const swapped = { key: first.server.key, certificate: first.replication.certificate };
    expect(nextCertificates({ ...first, replication: swapped }, at(1)).replication).not.toEqual(swapped);
    expect(
      nextCertificates({ ...first, authority: { ...first.authority, key: 'no key' } }, at(1)).authority.bundle,
    ).toHaveLength(2);
  });
});
