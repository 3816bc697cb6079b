import * as crypto from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { issueCertificate, systemClock, VirtualClock } from '@kubewright/apimachinery';
import type { KeyPair } from '@kubewright/apimachinery/internal';
import { afterEach, describe, expect, it } from 'vitest';
import type { CertificateSource } from '../certificates/certificate-source.ts';
import { until } from '../certificates/testdata/until.ts';
import { BindError } from '../health/bind-error.ts';
import { jsonLogger } from '../log/json-logger.ts';
import { silentLogger } from '../log/silent-logger.ts';
import { prometheusMetrics } from '../metrics/prometheus-metrics.ts';
import { allowed } from './admission-review.ts';
import { admissionWebhook } from './admission-webhook.ts';
import { post } from './testdata/https.ts';
import { review, Site, site } from './testdata/reviews.ts';
import { validator } from './validator.ts';
import type { WebhookDefinition } from './webhook-definition.ts';
import { WebhookServer, type WebhookServerOptions, type WebhookServerParts } from './webhook-server.ts';

const life = { notBeforeMs: Date.now() - 86_400_000, notAfterMs: Date.now() + 86_400_000 };
const subject = { commonName: 'test-ca' };
const ca = issueCertificate({ subject, usage: 'authority', ...life }, crypto);
const issued = (commonName: string, usage: 'server' | 'client' = 'server'): KeyPair =>
  issueCertificate(
    { subject: { commonName }, usage, hosts: ['localhost', '127.0.0.1'], ...life, issuer: { key: ca.key, subject } },
    crypto,
  );

const path = '/validate-web-example-com-v1-site';
const rules = validator(Site, { create: (object) => (object.spec.title === 'bad' ? 'no' : undefined) });

describe('WebhookServer', () => {
  const servers: WebhookServer[] = [];
  afterEach(async () => {
    await Promise.all(servers.splice(0).map((server) => server[Symbol.asyncDispose]()));
  });

  async function serve(
    webhooks: readonly WebhookDefinition[],
    options: WebhookServerOptions = {},
    parts: Partial<WebhookServerParts> = {},
  ) {
    let publish: (pair: KeyPair) => void = () => {};
    const certificates: CertificateSource = {
      run(given, signal) {
        publish = given.publish;
        publish(issued('first'));
        return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
      },
    };
    const settings = { port: 0, host: '127.0.0.1', certificates, ...options };
    const all = { clock: systemClock, log: silentLogger, failed: () => {}, ...parts };
    const server = new WebhookServer(webhooks, settings, all);
    servers.push(server);
    await server.start();
    return { server, url: `https://127.0.0.1:${server.port}`, publish: (pair: KeyPair) => publish(pair) };
  }

  it('responds to reviews over TLS', async () => {
    const { url } = await serve([rules]);
    const { status, body } = await post(`${url}${path}?timeout=10s`, review({ object: site({ title: 'bad' }) }), {
      ca: ca.certificate,
    });
    expect(status).toBe(200);
    expect(body.response).toMatchObject({ allowed: false, status: { message: 'no' } });
  });

  it('serves new connections with a new certificate, and keeps open connections', async () => {
    const { url, publish } = await serve([rules]);
    const { Agent } = await import('node:https');
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const ask = (more = {}) => post(`${url}${path}`, review({ object: site({}) }), { ca: ca.certificate, ...more });
    expect((await ask({ agent })).answeredBy).toBe('first');
    publish(issued('second'));
    expect((await ask()).answeredBy).toBe('second');
    expect((await ask({ agent })).answeredBy).toBe('first');
    agent.destroy();
  });

  it('rejects TLS below 1.2', async () => {
    const { server } = await serve([rules]);
    const failure = await new Promise<unknown>((resolve) => {
      const options = { port: server.port ?? 0, host: '127.0.0.1', ca: ca.certificate, ciphers: 'ALL:@SECLEVEL=0' };
      connect({ ...options, minVersion: 'TLSv1', maxVersion: 'TLSv1.1' }, () => resolve(undefined)).on(
        'error',
        resolve,
      );
    });
    expect(failure).toBeInstanceOf(Error);
  });

  it('admits only callers with a certificate from the given CA, even after a renewal', async () => {
    const { url, publish } = await serve([rules], { clientCa: ca.certificate });
    const caller = issued('kube-apiserver', 'client');
    const ask = (more = {}) => post(`${url}${path}`, review({ object: site({}) }), { ca: ca.certificate, ...more });
    const known = { key: caller.key, cert: caller.certificate };
    expect((await ask(known)).status).toBe(200);
    await expect(ask()).rejects.toThrow();
    publish(issued('second'));
    expect((await ask(known)).answeredBy).toBe('second');
    await expect(ask()).rejects.toThrow();
  });

  it("rereads the callers' CA from its file", async () => {
    const directory = await mkdtemp(join(tmpdir(), 'kw-client-ca-'));
    const clientCaFile = join(directory, 'ca.crt');
    const other = issueCertificate({ subject: { commonName: 'other-ca' }, usage: 'authority', ...life }, crypto);
    const by = (issuer: KeyPair, name: string) => {
      const { key, certificate: cert } = issueCertificate(
        {
          subject: { commonName: 'me' },
          usage: 'client',
          ...life,
          issuer: { key: issuer.key, subject: { commonName: name } },
        },
        crypto,
      );
      return { key, cert };
    };
    const [ours, theirs] = [by(ca, 'test-ca'), by(other, 'other-ca')];
    const clock = new VirtualClock();
    const lines: string[] = [];
    const log = jsonLogger({ destination: { write: (line) => void lines.push(line) } });
    await writeFile(clientCaFile, ca.certificate);
    const { url } = await serve([rules], { clientCaFile }, { clock, log });
    const ask = (more = {}) => post(`${url}${path}`, review({ object: site({}) }), { ca: ca.certificate, ...more });
    expect((await ask(ours)).status).toBe(200);
    await expect(ask(theirs)).rejects.toThrow();
    await expect(ask()).rejects.toThrow();

    await writeFile(clientCaFile, 'not yet');
    await until(() => clock.pendingTimers > 0);
    await clock.advance(10_000);
    await until(() => lines.some((line) => line.includes('"client-authority.failed"')));
    expect((await ask(ours)).status).toBe(200);

    await writeFile(clientCaFile, other.certificate);
    await until(() => clock.pendingTimers > 0);
    await clock.advance(10_000);
    await until(() => lines.some((line) => line.includes('"client-authority.updated"')));
    expect((await ask(theirs)).status).toBe(200);
    await expect(ask(ours)).rejects.toThrow();
    await rm(directory, { recursive: true });
    await expect(serve([rules], { clientCaFile })).rejects.toMatchObject({ code: 'KW3030' });
  });

  it('serves only its paths, and only POST', async () => {
    const { url } = await serve([rules]);
    expect((await post(`${url}/other`, '{}', { ca: ca.certificate })).status).toBe(404);
    expect((await post(`${url}${path}`, undefined, { ca: ca.certificate, method: 'GET' })).status).toBe(405);
  });

  it('reads at most 7 MiB', async () => {
    const { url } = await serve([rules]);
    const ask = (bytes: number, headers = {}) =>
      post(`${url}${path}`, Buffer.alloc(bytes, ' '), {
        ca: ca.certificate,
        headers: { 'content-type': 'application/json', ...headers },
      });
    const limit = 7 * 1024 * 1024;
    for (const headers of [{}, { 'transfer-encoding': 'chunked' }]) {
      const { status, body } = await ask(limit + 1, headers);
      expect(status).toBe(200);
      expect(body.response.status).toMatchObject({ code: 413, message: expect.stringContaining('7340032 bytes') });
    }
    expect((await ask(limit)).body.response.status.code).toBe(400);
  });

  it('counts with the names and labels of controller-runtime', async () => {
    const metrics = prometheusMetrics();
    const broken = admissionWebhook({
      type: 'validating',
      path: '/broken',
      handle: () => {
        throw new Error('x');
      },
    });
    const { url } = await serve([rules, broken], {}, { metrics: metrics.webhooks });
    const before = (await metrics.render()).text;
    expect(before).toContain(`controller_runtime_webhook_requests_total{webhook="${path}",code="200"} 0`);
    expect(before).toContain(`controller_runtime_webhook_requests_total{webhook="${path}",code="500"} 0`);
    expect(before).toContain(`controller_runtime_webhook_requests_in_flight{webhook="${path}"} 0`);
    expect(before).toContain('controller_runtime_webhook_panics_total 0');
    expect(before).toContain('controller_runtime_conversion_webhook_panics_total 0');
    expect(before).toContain('certwatcher_read_certificate_total 0');
    expect(before).toContain('certwatcher_read_certificate_errors_total 0');
    await post(`${url}${path}`, review({ object: site({ title: 'bad' }) }), { ca: ca.certificate });
    await post(`${url}/broken`, review({}), { ca: ca.certificate });
    const { text } = await metrics.render();
    expect(text).toContain(`controller_runtime_webhook_requests_total{webhook="${path}",code="200"} 1`);
    expect(text).toContain(`controller_runtime_webhook_latency_seconds_count{webhook="${path}"} 1`);
    expect(text).toContain(`le="1e-08",webhook="${path}"`);
    expect(text).toContain(`controller_runtime_webhook_requests_in_flight{webhook="${path}"} 0`);
    expect(text).toContain('controller_runtime_webhook_panics_total 1');
    expect(text).toContain(`kubewright_webhook_verdicts_total{webhook="${path}",verdict="denied"} 1`);
    expect(text).toContain('kubewright_webhook_verdicts_total{webhook="/broken",verdict="error"} 1');
  });

  it('waits for responses in progress when it stops, and aborts those whose caller has disconnected', async () => {
    let finish: () => void = () => {};
    const signals: AbortSignal[] = [];
    const slow = admissionWebhook({
      type: 'validating',
      path: '/slow',
      async handle(_, { signal }) {
        signals.push(signal);
        await new Promise<void>((resolve) => {
          finish = resolve;
        });
        return allowed();
      },
    });
    const { server, url } = await serve([slow]);
    const answer = post(`${url}/slow`, review({}), { ca: ca.certificate });
    await until(() => signals.length === 1);
    const stopped = server[Symbol.asyncDispose]();
    finish();
    expect((await answer).body.response.allowed).toBe(true);
    await stopped;

    const again = await serve([slow]);
    const caller = new AbortController();
    const left = post(`${again.url}/slow`, review({}), { ca: ca.certificate, signal: caller.signal });
    await until(() => signals.length === 2);
    caller.abort();
    await expect(left).rejects.toThrow();
    await until(() => signals[1]?.aborted === true);
    finish();
  });

  it('passes its check once it is serving', async () => {
    const { server } = await serve([rules]);
    await server.startedCheck(new AbortController().signal);
    await server[Symbol.asyncDispose]();
    await expect((async () => server.startedCheck(new AbortController().signal))()).rejects.toThrow('not been started');
  });

  it('names the port that is in use', async () => {
    const { server } = await serve([rules]);
    await expect(serve([rules], { port: server.port ?? 0 })).rejects.toThrow(BindError);
  });
});
