import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, request, type Server } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '@kubewright/apimachinery';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type LocalCertificates, localCertificates } from './local-certificates.ts';
import { WebhookFront } from './webhook-front.ts';

describe('WebhookFront', () => {
  let folder: string;
  let certificates: LocalCertificates;
  let front: WebhookFront;
  let operator: Server | undefined;
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'kw-front-'));
    certificates = localCertificates(join(folder, 'webhooks'), { nowMs: systemClock.now() });
    front = await WebhookFront.start({ certificates, clock: systemClock });
  });
  afterEach(async () => {
    operator?.closeAllConnections();
    operator?.close();
    await front[Symbol.asyncDispose]();
    certificates[Symbol.dispose]();
    rmSync(folder, { recursive: true });
  });

  /** Serves webhooks at the address that the flags specify, with the certificate that they specify. */
  function startOperator(): Promise<void> {
    const flag = (name: string) =>
      front.flags.find((each) => each.startsWith(`--webhook-${name}=`))?.split('=')[1] ?? '';
    const pem = (name: string) => readFileSync(join(flag('cert-path'), name));
    operator = createServer({ key: pem('tls.key'), cert: pem('tls.crt') }, (asked, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      asked.pipe(response);
    });
    return new Promise((resolve) => operator?.listen(Number(flag('port')), flag('host'), resolve));
  }

  /** Calls the webhook like the API server, trusting only this CA. */
  function ask(body: string, timeout = '10s'): Promise<{ readonly status: number | undefined; readonly body: string }> {
    return new Promise((resolve, reject) => {
      const url = `${front.url}/validate?timeout=${timeout}`;
      const asked = request(url, { method: 'POST', ca: certificates.authority, agent: false }, (response) => {
        let text = '';
        response.on('data', (chunk: Buffer) => (text += chunk.toString('utf8')));
        response.on('end', () => resolve({ status: response.statusCode, body: text }));
      });
      asked.on('error', reject);
      asked.end(body);
    });
  }

  it('forwards requests to the operator and returns its responses', async () => {
    await startOperator();
    expect(await ask('{"a":1}')).toEqual({ status: 200, body: '{"a":1}' });
  });

  it('holds a request while the operator starts', async () => {
    front.operatorIsDown(undefined);
    const answer = ask('{"early":true}');
    await startOperator();
    expect(await answer).toEqual({ status: 200, body: '{"early":true}' });
  });

  it('responds immediately that the operator is down, with a Status that the API server shows', async () => {
    front.operatorIsDown('it exited with code 1');
    const { status, body } = await ask('{}');
    expect(status).toBe(503);
    expect(JSON.parse(body)).toMatchObject({
      kind: 'Status',
      apiVersion: 'v1',
      status: 'Failure',
      message:
        'KW7310 the operator is down: it exited with code 1; fix the error that kubewright dev shows and save, then retry',
    });
  });

  it('times out before the API server does', async () => {
    front.operatorIsDown(undefined);
    const { status, body } = await ask('{}', '600ms');
    expect(status).toBe(503);
    expect(body).toMatch(
      /the operator is down: it does not serve its webhooks \(connect ECONNREFUSED 127\.0\.0\.1:\d+\); /,
    );
  });

  it('makes its key readable only by the user and removes it on disposal', () => {
    expect(readFileSync(join(certificates.folder, 'tls.key'), 'utf8')).toMatch(/^-----BEGIN PRIVATE KEY/);
    certificates[Symbol.dispose]();
    expect(() => readFileSync(join(certificates.folder, 'tls.key'))).toThrow('ENOENT');
  });
});
