import * as crypto from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { get } from 'node:http';
import { get as getSecure } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { issueCertificate } from '@kubewright/apimachinery';
import { describe, expect, it } from 'vitest';
import { CertificateError } from '../certificates/certificate-error.ts';
import { certificateFiles } from '../certificates/certificate-files.ts';
import { selfSigned } from '../certificates/self-signed.ts';
import { silentLogger } from '../log/silent-logger.ts';
import { Manager } from '../manager/manager.ts';
import type { ManagerOptions } from '../manager/manager-options.ts';
import { FakeApiServer } from '../testdata/fake-api-server.ts';
import { post } from './testdata/https.ts';
import { review, Site, site } from './testdata/reviews.ts';
import { validator } from './validator.ts';

const path = '/validate-web-example-com-v1-site';
const rules = validator(Site, {
  create: (_object, { cache }) => (cache.lister(Site).size > 0 ? 'one is enough' : undefined),
});

function manager(options: Partial<ManagerOptions> = {}): {
  manager: Manager;
  server: FakeApiServer;
  end: Promise<unknown>;
} {
  const server = new FakeApiServer([Site]);
  const all: ManagerOptions = {
    client: server.client,
    caches: [Site],
    webhooks: [rules],
    webhookServer: { port: 0, host: '127.0.0.1', certificates: selfSigned() },
    healthProbeBindAddress: '127.0.0.1:0',
    log: silentLogger,
    handleSignals: false,
    watchdog: false,
    ...options,
  };
  const made = new Manager(all);
  const end = made.run().catch((error: unknown) => error);
  return { manager: made, server, end };
}

function text(
  url: string,
  identity: { readonly cert?: string; readonly key?: string } = {},
): Promise<{ readonly status: number | undefined; readonly body: string }> {
  return new Promise((resolve, reject) => {
    const fetch = url.startsWith('https') ? getSecure : get;
    fetch(url, { rejectUnauthorized: false, ...identity }, (response) => {
      let body = '';
      response.on('data', (chunk: Buffer) => {
        body += chunk.toString('utf8');
      });
      response.on('end', () => resolve({ status: response.statusCode, body }));
    }).on('error', reject);
  });
}

describe('Manager with webhooks', () => {
  it('serves the webhooks with its client and cache, and includes them in readiness', async () => {
    const { manager: made, server } = manager();
    await using _manager = made;
    await made.started();
    const ask = () =>
      post(`https://127.0.0.1:${made.ports.webhook}${path}`, review({ object: site({}) }), {
        rejectUnauthorized: false,
      });
    expect((await ask()).body.response.allowed).toBe(true);
    server.put(Site, site({ title: 'x' }));
    while (made.cache.lister(Site).size === 0) await new Promise((resolve) => setImmediate(resolve));
    expect((await ask()).body.response.status.message).toBe('one is enough');
    const ready = await text(`http://127.0.0.1:${made.ports.health}/readyz?verbose`);
    expect(ready).toMatchObject({ status: 200, body: expect.stringContaining('[+]webhook ok') });
  });

  it('serves the webhooks before the first list, which may need them', async () => {
    const answered: (string | undefined)[] = [];
    const { manager: made, server } = manager();
    server.interrupt = async ({ url }) => {
      if (!url.pathname.endsWith('/sites')) return undefined;
      const address = `https://127.0.0.1:${made.ports.webhook}${path}`;
      const { status } = await post(address, review({ operation: 'CONNECT' }), { rejectUnauthorized: false });
      answered.push(String(status));
      return undefined;
    };
    await using _manager = made;
    await made.started();
    expect(answered[0]).toBe('200');
  });

  it('fails with the reason if there is no certificate', async () => {
    const certificates = certificateFiles({ directory: '/nowhere' });
    const { manager: made, end } = manager({ webhookServer: { port: 0, certificates } });
    const error = (await end) as Error;
    expect([error, error.cause].some((each) => each instanceof CertificateError)).toBe(true);
    await expect(made.started()).rejects.toThrow();
  });

  it('stops while waiting for a certificate', async () => {
    const certificates = {
      run: (_: unknown, signal: AbortSignal) =>
        new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true })),
    };
    const stop = new AbortController();
    const { end } = manager({ signal: stop.signal, webhookServer: { port: 0, certificates } });
    await new Promise((resolve) => setImmediate(resolve));
    stop.abort();
    await end;
  });

  it('serves no webhooks if the server is disabled, and is ready', async () => {
    const { manager: made } = manager({
      webhookServer: { port: -1, certificates: certificateFiles({ directory: '/nowhere' }) },
    });
    await using _manager = made;
    await made.started();
    expect(made.ports.webhook).toBeUndefined();
    expect((await text(`http://127.0.0.1:${made.ports.health}/readyz/webhook`)).status).toBe(200);
  });

  it('needs no certificate if there are no webhooks', () => {
    const { manager: made } = manager({ webhooks: [], webhookServer: { certificates: certificateFiles() } });
    expect(made.ports.webhook).toBeUndefined();
    return made[Symbol.asyncDispose]();
  });
});

describe('Manager with guarded metrics', () => {
  it('serves them over HTTPS with a self-signed certificate, and rejects unknown clients', async () => {
    const { manager: made } = manager({ webhooks: [], metricsBindAddress: '127.0.0.1:0', metricsSecurity: {} });
    await using _manager = made;
    await made.started();
    expect(await text(`https://127.0.0.1:${made.ports.metrics}/metrics`)).toEqual({
      status: 401,
      body: 'Unauthorized\n',
    });
    await expect(text(`http://127.0.0.1:${made.ports.metrics}/metrics`)).rejects.toThrow();
  });

  it("guards the program's own paths the same way, and keeps /metrics", async () => {
    const metricsHandlers = {
      '/debug': (_: unknown, response: import('node:http').ServerResponse) => void response.end('inside'),
    };
    const common = { webhooks: [], metricsBindAddress: '127.0.0.1:0', metricsHandlers };
    const open = manager(common).manager;
    await using _open = open;
    await open.started();
    expect(await text(`http://127.0.0.1:${open.ports.metrics}/debug`)).toEqual({ status: 200, body: 'inside' });
    const guarded = manager({ ...common, metricsSecurity: {} }).manager;
    await using _guarded = guarded;
    await guarded.started();
    expect((await text(`https://127.0.0.1:${guarded.ports.metrics}/debug`)).status).toBe(401);
    const sly = manager({ ...common, metricsHandlers: { '/metrics': metricsHandlers['/debug'] } });
    expect(String(await sly.end)).toContain('cannot serve "/metrics"');
  });

  it('can be open and encrypted', async () => {
    const metricsSecurity = { authorize: false, certificates: selfSigned() };
    const { manager: made } = manager({ webhooks: [], metricsBindAddress: '127.0.0.1:0', metricsSecurity });
    await using _manager = made;
    await made.started();
    const { status, body } = await text(`https://127.0.0.1:${made.ports.metrics}/metrics`);
    expect(status).toBe(200);
    expect(body).toContain('leader_election_master_status');
  });

  it('admits only readers with a certificate from the CA file', async () => {
    const life = { notBeforeMs: Date.now() - 86_400_000, notAfterMs: Date.now() + 86_400_000 };
    const subject = { commonName: 'readers' };
    const ca = issueCertificate({ subject, usage: 'authority', ...life }, crypto);
    const issuer = { key: ca.key, subject };
    const reader = issueCertificate({ subject: { commonName: 'me' }, usage: 'client', ...life, issuer }, crypto);
    const directory = await mkdtemp(join(tmpdir(), 'kw-readers-'));
    const clientCaFile = join(directory, 'ca.crt');
    await writeFile(clientCaFile, ca.certificate);
    const metricsSecurity = { authorize: false, certificates: selfSigned(), clientCaFile };
    const { manager: made } = manager({ webhooks: [], metricsBindAddress: '127.0.0.1:0', metricsSecurity });
    await using _manager = made;
    await made.started();
    const url = `https://127.0.0.1:${made.ports.metrics}/metrics`;
    expect((await text(url, { cert: reader.certificate, key: reader.key })).status).toBe(200);
    await expect(text(url)).rejects.toThrow();
    await rm(directory, { recursive: true });
  });
});
