import { readdirSync, statSync } from 'node:fs';
import { connect } from 'node:net';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ClusterUnderTest } from '../bad-input/cluster-under-test.ts';

/** A value that appears nowhere else in the process. */
const CANARY = 'canary-7f3a9e51';
const ENCODED = Buffer.from(CANARY).toString('base64').replace(/=+$/, '');
const secrets = '/api/v1/namespaces/default/secrets';
const kinds = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const databases = '/apis/example.com/v1/namespaces/default/databases';

let tested: ClusterUnderTest;

beforeAll(async () => {
  tested = await ClusterUnderTest.start();
});
afterAll(() => tested[Symbol.asyncDispose]());

/** Returns every file and folder below `folder`, with its mode. */
function modes(folder: string): readonly (readonly [string, number])[] {
  return readdirSync(folder, { withFileTypes: true, recursive: true }).map((entry) => {
    const path = join(entry.parentPath ?? entry.path, entry.name);
    return [path.slice(folder.length + 1), statSync(path).mode & 0o777] as const;
  });
}

describe('the state folder', () => {
  it('is not readable by other local users', async () => {
    await tested.cluster.logInAs({ namespace: 'kube-system', name: 'default' }).catch(() => undefined);
    const found = modes(tested.folder);
    expect(found.length).toBeGreaterThan(5);
    expect(found.filter(([, mode]) => (mode & 0o077) !== 0)).toEqual([]);
  });
});

describe('the listening address', () => {
  it('is loopback only', async () => {
    const port = Number(new URL(tested.target.url).port);
    const others = Object.values(networkInterfaces())
      .flatMap((list) => list ?? [])
      .filter(({ internal, family }) => !internal && family === 'IPv4');
    const reachable = await Promise.all(
      others.map(
        ({ address }) =>
          new Promise<boolean>((resolve) => {
            const socket = connect({ port, host: address, timeout: 1_000 });
            const done = (answer: boolean) => (): void => {
              socket.destroy();
              resolve(answer);
            };
            socket.on('connect', done(true)).on('error', done(false)).on('timeout', done(false));
          }),
      ),
    );
    expect(reachable.filter(Boolean)).toEqual([]);
    expect(new URL(tested.target.url).hostname).toBe('127.0.0.1');
  });
});

describe('responses', () => {
  it.each(['/livez', '/version', '/api', '/api/v1/namespaces', '/nothing'])(
    'grant browsers no access: %s',
    async (path) => {
      const headers = { origin: 'https://evil.example', 'access-control-request-method': 'POST' };
      for (const method of ['GET', 'OPTIONS']) {
        const answer = await tested.send({ method, path, headers });
        expect(Object.keys(answer.headers).filter((name) => name.startsWith('access-control-'))).toEqual([]);
      }
    },
  );
});

describe('a secret', () => {
  const secret = { metadata: { name: 'canary' }, stringData: { password: CANARY } };

  beforeAll(async () => {
    expect((await tested.send({ method: 'POST', path: secrets, body: secret })).status).toBe(201);
    const spec = {
      type: 'object',
      properties: { user: { type: 'string' }, password: { type: 'string', maxLength: 100 } },
    };
    const crd = {
      metadata: { name: 'databases.example.com' },
      spec: {
        group: 'example.com',
        scope: 'Namespaced',
        names: { plural: 'databases', singular: 'database', kind: 'Database', listKind: 'DatabaseList' },
        versions: [
          {
            name: 'v1',
            served: true,
            storage: true,
            schema: { openAPIV3Schema: { type: 'object', properties: { spec } } },
          },
        ],
      },
    };
    expect((await tested.send({ method: 'POST', path: kinds, body: crd })).status).toBe(201);
    for (let tries = 0; (await tested.send({ method: 'GET', path: databases })).status !== 200; tries++) {
      expect(tries).toBeLessThan(200);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  });

  it('does not appear in errors about surrounding bad input', async () => {
    const body = `{"apiVersion":"example.com/v1","kind":"Database","metadata":{"name":"d"},"spec":{"password":"${CANARY}"}}`;
    const attempts = [
      { method: 'POST', path: secrets, body: secret },
      { method: 'POST', path: secrets, body: { ...secret, metadata: { name: 'Not_Good' } } },
      { method: 'POST', path: `${secrets}?fieldValidation=Strict`, body: { ...secret, bogus: 1 } },
      { method: 'PUT', path: `${secrets}/canary`, body: { ...secret, type: 'other' } },
      { method: 'DELETE', path: `${secrets}/canary`, body: { preconditions: { uid: 'x' } } },
      { method: 'GET', path: `${secrets}/canary`, as: 'anonymous' },
      { method: 'GET', path: `${secrets}/canary`, as: 'nobody' },
      { method: 'POST', path: databases, body: body.replace('"name":"d"', '"name":"Not_Good"') },
      { method: 'POST', path: `${databases}?fieldValidation=Strict`, body: body.replace('"spec"', '"bogus":1,"spec"') },
      { method: 'POST', path: databases, body: body.slice(0, -1) },
    ];
    for (const attempt of attempts) {
      const { status, text, headers } = await tested.send(attempt);
      expect(status).toBeGreaterThanOrEqual(400);
      expect(text).not.toContain(CANARY);
      expect(text).not.toContain(ENCODED);
      expect(JSON.stringify(headers)).not.toContain(CANARY);
    }
    expect((await tested.send({ method: 'POST', path: databases, body })).status).toBe(201);
  });

  it('does not appear in logs, events or metrics', async () => {
    const events = await tested.send({ method: 'GET', path: '/api/v1/events' });
    const metrics = await tested.send({ method: 'GET', path: '/metrics' });
    expect(metrics.text).toContain('apiserver_');
    for (const text of [tested.log, events.text, metrics.text]) {
      expect(text).not.toContain(CANARY);
      expect(text).not.toContain(ENCODED);
    }
  });

  it('does not appear in files of the state folder', async () => {
    const { readFileSync } = await import('node:fs');
    for (const [name] of modes(tested.folder)) {
      const path = join(tested.folder, name);
      if (statSync(path).isFile()) expect(readFileSync(path, 'latin1')).not.toContain(CANARY);
    }
  });
});

describe('credentials', () => {
  it('do not appear in logs: the tokens that callers sent or received', async () => {
    const wrong = 'token-canary-11f0';
    const headers = { authorization: `Bearer ${wrong}` };
    expect((await tested.send({ method: 'GET', path: '/api', as: 'anonymous', headers })).status).toBe(401);
    const path = '/api/v1/namespaces/default/serviceaccounts/default/token';
    const issued = await tested.send({ method: 'POST', path, body: { spec: {} } });
    expect(issued.status).toBe(201);
    expect(tested.log).not.toContain(wrong);
    expect(tested.log).not.toContain(issued.json.status.token);
    expect(tested.log).not.toContain('PRIVATE KEY');
  });
});
