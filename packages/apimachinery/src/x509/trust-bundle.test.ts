import * as crypto from 'node:crypto';
import { once } from 'node:events';
import { Agent, createServer, request } from 'node:https';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { issueCertificate } from './issue-certificate.ts';
import { trustBundle } from './trust-bundle.ts';

const now = Date.now();
const life = { notBeforeMs: now - 60_000, notAfterMs: now + 3_600_000 };
const named = (commonName: string) => ({ subject: { commonName }, ...life });
const root = issueCertificate({ ...named('root'), usage: 'authority' }, crypto);
const intermediate = issueCertificate(
  { ...named('intermediate'), usage: 'authority', issuer: { key: root.key, subject: { commonName: 'root' } } },
  crypto,
);
const issuer = { key: intermediate.key, subject: { commonName: 'intermediate' } };
const leaf = issueCertificate({ ...named('server'), usage: 'server', hosts: ['localhost'], issuer }, crypto);
const other = issueCertificate({ ...named('other'), usage: 'authority' }, crypto);
const server = createServer({ key: leaf.key, cert: leaf.certificate + intermediate.certificate }, (_, response) =>
  response.end(),
);

beforeAll(() => once(server.listen(0, '127.0.0.1'), 'listening'));
afterAll(() => void server.close());

function ask(bundle: string): Promise<number | string | undefined> {
  const agent = new Agent(trustBundle(bundle));
  const { port } = server.address() as AddressInfo;
  return new Promise((resolve) => {
    request({ host: '127.0.0.1', port, servername: 'localhost', agent })
      .on('response', (response) => resolve(response.resume().statusCode))
      .on('error', (error: NodeJS.ErrnoException) => resolve(error.code))
      .end();
  });
}

describe('trustBundle', () => {
  it.each([
    ['the root', root.certificate],
    ['an intermediate authority', intermediate.certificate],
    ["the server's own certificate", leaf.certificate],
    ['another authority next to it', other.certificate + intermediate.certificate],
  ])('trusts a server if it contains %s', async (_, bundle) => {
    expect(await ask(bundle)).toBe(200);
  });

  it("does not trust another authority's server", async () => {
    expect(await ask(other.certificate)).toMatch(/^UNABLE_TO_|^SELF_SIGNED/);
  });
});
