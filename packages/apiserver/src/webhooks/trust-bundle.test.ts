import * as crypto from 'node:crypto';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { issueCertificate, systemClock } from '@kubewright/apimachinery';
import type { KeyPair } from '@kubewright/apimachinery/internal';
import { afterEach, describe, expect, it } from 'vitest';
import { Backend } from '../aggregation/backend.ts';
import { HttpsWebhookCaller } from './https-webhook-caller.ts';

const serverName = 'hooks.default.svc';

describe('a trust bundle', () => {
  let server: Server | undefined;

  afterEach(async () => {
    server?.closeAllConnections();
    await new Promise((resolve) => (server === undefined ? resolve(undefined) : server.close(resolve)));
    server = undefined;
  });

  const life = { notBeforeMs: systemClock.now() - 60_000, notAfterMs: systemClock.now() + 3_600_000 };
  const authority = (commonName: string, issuer?: { readonly key: string; readonly name: string }): KeyPair =>
    issueCertificate(
      {
        subject: { commonName },
        usage: 'authority',
        ...life,
        issuer: issuer && { key: issuer.key, subject: { commonName: issuer.name } },
      },
      crypto,
    );
  const root = authority('root');
  const intermediate = authority('intermediate', { key: root.key, name: 'root' });
  const leaf = issueCertificate(
    {
      subject: { commonName: 'hooks' },
      usage: 'server',
      hosts: [serverName],
      ...life,
      issuer: { key: intermediate.key, subject: { commonName: 'intermediate' } },
    },
    crypto,
  );
  const selfSigned = issueCertificate(
    { subject: { commonName: 'hooks' }, usage: 'server', hosts: [serverName], ...life },
    crypto,
  );
  const stranger = authority('stranger');

  /** Reports whether the webhook caller and the aggregator trust a server. */
  async function trusted(shown: KeyPair, bundle: string): Promise<readonly [boolean, boolean]> {
    server = createServer({ key: shown.key, cert: shown.certificate }, (_request, response) => response.end('{}'));
    await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo; // the server listens on a TCP port
    const at = { host: '127.0.0.1', port };
    const { signal } = new AbortController();
    using caller = new HttpsWebhookCaller();
    const call = caller.call({
      method: 'POST',
      url: new URL(`https://${serverName}`),
      connectTo: at,
      ca: bundle,
      signal,
    });
    const asked = await call.then(
      ({ status }) => status === 200,
      () => false,
    );
    const service = { name: 'hooks', namespace: 'default', port: 443 };
    using backend = new Backend(
      {
        service,
        caBundle: Buffer.from(bundle).toString('base64'),
        group: 'example.com',
        version: 'v1',
        groupPriorityMinimum: 1,
        versionPriority: 1,
      },
      { resolve: async () => at, clock: systemClock, client: undefined },
    );
    const forwarded = await backend.send({ method: 'GET', path: '/', headers: {}, signal }, at).then(
      (message) => {
        if (!('stream' in message)) message.resume();
        return true;
      },
      () => false,
    );
    return [asked, forwarded];
  }

  it("can contain the server's own certificate, self-signed or not", async () => {
    expect(await trusted(leaf, leaf.certificate)).toEqual([true, true]);
    server?.close();
    expect(await trusted(selfSigned, selfSigned.certificate)).toEqual([true, true]);
  });

  it('can contain an intermediate CA without its root', async () => {
    expect(await trusted(leaf, intermediate.certificate)).toEqual([true, true]);
  });

  it('can contain several certificates', async () => {
    expect(await trusted(leaf, `${stranger.certificate}${intermediate.certificate}`)).toEqual([true, true]);
  });

  it('does not trust other certificates', async () => {
    expect(await trusted(leaf, stranger.certificate)).toEqual([false, false]);
    server?.close();
    expect(await trusted(selfSigned, leaf.certificate)).toEqual([false, false]);
  });
});
