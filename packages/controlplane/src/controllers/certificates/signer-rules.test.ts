import { describe, expect, it } from 'vitest';
import {
  apiServerClient,
  kubeletClient,
  kubeletServing,
  legacyUnknown,
  signerRules,
  validity,
} from './signer-rules.ts';

const none = { dns: 0, ip: 0, email: 0, uri: 0 };
const node = { commonName: 'system:node:a', organizations: ['system:nodes'], names: none };
const server = { ...node, names: { ...none, ip: 1 } };
const [client, serving] = [
  ['digital signature', 'client auth'],
  ['digital signature', 'server auth'],
];

describe('signerRules', () => {
  it.each([
    [kubeletClient, node, client, undefined],
    [kubeletClient, node, [...client, 'key encipherment'], undefined],
    [kubeletClient, node, serving, 'usages did not match [client auth digital signature key encipherment]'],
    [kubeletClient, { ...node, organizations: [] }, client, 'subject organization is not system:nodes'],
    [
      kubeletClient,
      { ...node, organizations: ['system:nodes', 'a'] },
      client,
      'subject organization is not system:nodes',
    ],
    [kubeletClient, { ...node, commonName: 'a' }, client, 'subject common name does not begin with system:node:'],
    [kubeletClient, { ...node, names: { ...none, dns: 1 } }, client, 'DNS subjectAltNames are not allowed'],
    [kubeletClient, server, client, 'IP subjectAltNames are not allowed'],
    [kubeletClient, { ...node, names: { ...none, email: 1 } }, client, 'Email subjectAltNames are not allowed'],
    [kubeletClient, { ...node, names: { ...none, uri: 1 } }, client, 'URI subjectAltNames are not allowed'],
    [kubeletServing, server, serving, undefined],
    [kubeletServing, server, ['key encipherment', ...serving], undefined],
    [kubeletServing, node, serving, 'DNS or IP subjectAltName is required'],
    [kubeletServing, server, client, 'usages did not match [digital signature key encipherment server auth]'],
    [kubeletServing, { ...server, names: { ...none, dns: 1, uri: 1 } }, serving, 'URI subjectAltNames are not allowed'],
    [kubeletServing, { ...server, commonName: 'a' }, serving, 'subject common name does not begin with system:node:'],
    [apiServerClient, { ...node, organizations: ['team'] }, ['client auth'], undefined],
    [apiServerClient, node, serving, 'invalid usage for client certificate: server auth'],
    [apiServerClient, node, ['digital signature'], 'missing required usage for client certificate: client auth'],
    [legacyUnknown, { ...node, organizations: [] }, ['any'], undefined],
  ])('rule of %s for %j with usages %j returns %s', (signer, request, usages, fault) => {
    expect(signerRules.get(signer)?.({ request, usages })).toBe(fault);
  });

  it('has no rule for other signers', () => {
    expect(signerRules.has('example.com/signer')).toBe(false);
  });
});

describe('validity', () => {
  const [nowMs, hourMs] = [Date.UTC(2026, 0, 1), 3_600_000];
  const yearMs = 365 * 24 * hourMs;

  it.each([
    ['one year by default, backdated by five minutes', undefined, 10 * yearMs, yearMs - 300_000],
    ['at most one year', 2 * 365 * 86_400, 10 * yearMs, yearMs - 300_000],
    ['at least ten minutes', 60, 10 * yearMs, 600_000],
    ['as long as requested for a short lifetime, despite backdating', 3_600, 10 * yearMs, hourMs],
    ['at most until the certificate of the authority expires', undefined, hourMs, hourMs],
  ])('lasts %s', (_, seconds, authorityMs, expectedMs) => {
    expect(validity(seconds, { nowMs, authorityEndsMs: nowMs + authorityMs })).toEqual({
      notBeforeMs: nowMs - 300_000,
      notAfterMs: nowMs + expectedMs,
    });
  });
});
