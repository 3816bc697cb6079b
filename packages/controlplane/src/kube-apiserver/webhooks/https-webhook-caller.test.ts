import { HttpsWebhookCaller, type WebhookCaller } from '@kubewright/apiserver/internal';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { hostSockets } from '../../network/sockets.ts';
import { makeCertificates } from './testdata/webhook-replay.ts';
import { startWebhookServer, type WebhookBehaviors, type WebhookServer } from './testdata/webhook-server.mjs';

const certificates = makeCertificates();

describe('HttpsWebhookCaller', () => {
  let server: WebhookServer;
  let caller: HttpsWebhookCaller;

  beforeEach(async () => {
    const behaviors: WebhookBehaviors = {
      echo: (review) => ({ body: review }),
      long: () => ({ text: 'x'.repeat(3000) }),
      cut: () => 'cut',
      hang: () => 'hang',
    };
    server = await startWebhookServer({ ...certificates, behaviors });
    caller = new HttpsWebhookCaller({ maxResponseBytes: 2000 });
  });
  afterEach(async () => {
    caller[Symbol.dispose]();
    await server.close();
  });

  const call = (
    path: string,
    more: {
      readonly url?: string;
      readonly ca?: string;
      readonly signal?: AbortSignal;
      readonly connect?: boolean;
    } = {},
  ): ReturnType<WebhookCaller['call']> =>
    caller.call({
      method: 'POST',
      url: new URL(`${more.url ?? server.url}/${path}?timeout=1s`),
      connectTo: more.connect ? { host: '127.0.0.1', port: server.port } : undefined,
      ca: more.ca ?? certificates.ca,
      body: Buffer.from('{"é":1}'),
      signal: more.signal ?? new AbortController().signal,
    });

  it('sends a body and reads the response', async () => {
    const { status, contentType, body } = await call('echo');
    expect({ status, contentType, text: Buffer.from(body).toString() }).toEqual({
      status: 200,
      contentType: 'application/json',
      text: '{"é":1}',
    });
    expect(server.take()).toMatchObject([
      { method: 'POST', path: '/echo', query: '?timeout=1s', type: 'application/json' },
    ]);
  });

  it("opens connections with the given function, and reports the function's errors", async () => {
    const dialed: string[] = [];
    using dialing = new HttpsWebhookCaller({
      dial: async ({ host, port }) => {
        dialed.push(`${host}:${port}`);
        if (port !== 443) throw Object.assign(new Error('refused'), { code: 'ECONNREFUSED' });
        return hostSockets.connect({ host: '127.0.0.1', port: server.port });
      },
    });
    const ask = (port: number) =>
      dialing.call({
        method: 'POST',
        url: new URL('https://hooks.wh-rec.svc/echo'),
        connectTo: { host: '10.244.0.9', port },
        ca: certificates.ca,
        body: Buffer.from('{}'),
        signal: new AbortController().signal,
      });
    expect((await ask(443)).status).toBe(200);
    expect((await ask(443)).status).toBe(200);
    await expect(ask(444)).rejects.toThrow('dial tcp 10.244.0.9:444: connect: connection refused');
    expect(dialed).toEqual(['10.244.0.9:443', '10.244.0.9:444']);
  });

  it('reuses its connection', async () => {
    for (let times = 0; times < 5; times++) await call('echo');
    expect(server.connections()).toBe(1);
  });

  it('does not share connections between different CA bundles', async () => {
    await call('echo');
    await expect(call('echo', { ca: certificates.otherCa })).rejects.toThrow(
      'tls: failed to verify certificate: x509: certificate signed by unknown authority',
    );
    expect(server.take()).toHaveLength(1);
  });

  it('trusts only the system CAs without a CA bundle', async () => {
    await expect(call('echo', { ca: '' })).rejects.toThrow('certificate signed by unknown authority');
  });

  it("connects to a different address, but checks the certificate against the URL's host", async () => {
    expect((await call('echo', { url: 'https://hooks.wh-rec.svc:443', connect: true })).status).toBe(200);
    await expect(call('echo', { url: 'https://strangers.wh-rec.svc:443', connect: true })).rejects.toThrow(
      'x509: certificate is valid for hooks.wh-rec.svc, not strangers.wh-rec.svc',
    );
  });

  it('limits the size of a response', async () => {
    await expect(call('long')).rejects.toThrow('the response is longer than 2000 bytes');
  });

  it('reports connection errors', async () => {
    await expect(call('cut')).rejects.toThrow(/^EOF$/);
    await expect(call('echo', { url: 'https://127.0.0.1:1' })).rejects.toThrow(
      /^dial tcp 127\.0\.0\.1:1: connect: connection refused$/,
    );
  });

  it('stops when the signal aborts', async () => {
    const abort = new AbortController();
    const outcome = expect(call('hang', { signal: abort.signal })).rejects.toThrow();
    while (server.take().length === 0) await new Promise((resolve) => setImmediate(resolve));
    abort.abort();
    await outcome;
  });

  it('rejects an invalid certificate', async () => {
    await expect(call('echo', { ca: 'nonsense' })).rejects.toThrow();
  });
});
