import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock, systemRandom } from '@kubewright/apimachinery';
import { EmbeddedCluster } from '@kubewright/controlplane';
import { silentLogger } from '@kubewright/runtime';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { ClusterUnderTest } from '../bad-input/cluster-under-test.ts';
import { send, type Target } from '../bad-input/wire.mjs';

let tested: ClusterUnderTest;
let foreign: ClusterUnderTest;

beforeAll(async () => {
  [tested, foreign] = await Promise.all([ClusterUnderTest.start(), ClusterUnderTest.start()]);
});
afterAll(async () => {
  await tested[Symbol.asyncDispose]();
  await foreign[Symbol.asyncDispose]();
});

const tokenPath = '/api/v1/namespaces/default/serviceaccounts/default/token';

describe('credentials of another cluster', () => {
  it('are rejected: its administrator’s certificate', async () => {
    const target: Target = {
      url: tested.target.url,
      ...(foreign.target.certificate && { certificate: foreign.target.certificate }),
    };
    const answer = await send(target, { method: 'GET', path: '/api/v1/namespaces' });
    expect(answer.status).toBe(401);
    expect(answer.json).toMatchObject({ kind: 'Status', reason: 'Unauthorized', message: 'Unauthorized' });
  });

  it('are rejected: a token that it signed', async () => {
    const issued = await foreign.send({ method: 'POST', path: tokenPath, body: { spec: {} } });
    const headers = { authorization: `Bearer ${issued.json.status.token}` };
    const call = { method: 'GET', path: '/api', as: 'anonymous', headers };
    expect((await foreign.send(call)).status).toBe(200);
    expect((await tested.send(call)).status).toBe(401);
  });
});

describe('a certificate', () => {
  it('is useless without its key', async () => {
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const key = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
    const cert = tested.target.certificate?.cert ?? '';
    const call = { method: 'GET', path: '/api/v1/namespaces' };
    await expect(send({ url: tested.target.url, certificate: { cert, key } }, call)).rejects.toThrow();
  });
});

describe('the state of a cluster', () => {
  it('admits the same administrator after a restart, but rejects tokens from before', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'kw-restart-'));
    const options = { directory, clock: systemClock, random: systemRandom, log: silentLogger };
    const first = await EmbeddedCluster.start(options);
    const target = targetOf(first);
    for (let tries = 0; tries < 100; tries++) {
      const path = '/api/v1/namespaces/default/serviceaccounts/default';
      if ((await send(target, { method: 'GET', path })).status === 200) break;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    const issued = await send(target, { method: 'POST', path: tokenPath, body: { spec: {} } });
    expect(issued.status).toBe(201);
    await first[Symbol.asyncDispose]();
    const second = await EmbeddedCluster.start(options);
    try {
      const again = { ...target, url: second.url };
      expect((await send(again, { method: 'GET', path: '/api/v1/namespaces' })).status).toBe(200);
      const headers = { authorization: `Bearer ${issued.json.status.token}` };
      expect((await send(again, { method: 'GET', path: '/api', as: 'anonymous', headers })).status).toBe(401);
    } finally {
      await second[Symbol.asyncDispose]();
      rmSync(directory, { recursive: true, force: true });
    }
  });
});

function targetOf(cluster: EmbeddedCluster): Target {
  const { users } = parse(readFileSync(cluster.kubeconfig, 'utf8'));
  const pem = (name: string): string => Buffer.from(users[0].user[name], 'base64').toString('utf8');
  return { url: cluster.url, certificate: { cert: pem('client-certificate-data'), key: pem('client-key-data') } };
}
