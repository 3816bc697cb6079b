import * as crypto from 'node:crypto';
import { issueCertificate } from '@kubewright/apimachinery';
import { CertificateSigningRequest } from '@kubewright/apimachinery/certificates/v1';
import { defined, formatTime } from '@kubewright/apimachinery/internal';
import { describe, expect, it } from 'vitest';
import { isOutdated } from './certificate-cleaner.ts';

const nowMs = Date.UTC(2026, 0, 2, 12);
const hours = (count: number): string => formatTime(nowMs - count * 3_600_000);
const certificate = (endsInMs: number): string =>
  Buffer.from(
    issueCertificate(
      {
        subject: { commonName: 'a' },
        usage: 'client',
        notBeforeMs: nowMs - 86_400_000,
        notAfterMs: nowMs + endsInMs,
      },
      crypto,
    ).certificate,
  ).toString('base64');

function request(ageHours: number, type?: string, more: { certificate?: string; updated?: number } = {}) {
  const lastUpdateTime = hours(more.updated ?? ageHours);
  const conditions = type === undefined ? [] : [{ type, status: 'True', lastUpdateTime } as const];
  return {
    ...CertificateSigningRequest({
      metadata: { name: 'a' },
      spec: { request: '', signerName: 'example.com/a', usages: ['client auth'] },
    }),
    metadata: { name: 'a', creationTimestamp: hours(ageHours) },
    status: defined({ conditions, certificate: more.certificate }),
  };
}

describe('isOutdated', () => {
  it.each([
    ['pending for 23 hours', request(23), false],
    ['pending for 25 hours', request(25), true],
    ['denied just now', request(30, 'Denied', { updated: 0.9 }), false],
    ['denied over an hour ago', request(30, 'Denied', { updated: 1.1 }), true],
    ['failed over an hour ago', request(30, 'Failed', { updated: 1.1 }), true],
    ['approved 23 hours ago, not signed', request(30, 'Approved', { updated: 23 }), false],
    ['approved 25 hours ago, not signed', request(30, 'Approved', { updated: 25 }), true],
    ['signed just now', request(30, 'Approved', { updated: 0.9, certificate: certificate(60_000) }), false],
    ['signed over an hour ago', request(30, 'Approved', { updated: 1.1, certificate: certificate(60_000) }), true],
    ['with an expired certificate', request(1, 'Approved', { updated: 0.5, certificate: certificate(-60_000) }), true],
    ['with an unreadable certificate', request(1, 'Approved', { updated: 0.5, certificate: 'eA==' }), false],
  ])('for a request %s returns %3$s', (_, csr, expected) => {
    expect(isOutdated(csr as CertificateSigningRequest, nowMs)).toBe(expected);
  });
});
