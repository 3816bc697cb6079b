import { StatusError } from '@kubewright/apimachinery';
import type { ApiServerOptions, AuthorizationAttributes } from '@kubewright/apiserver';
import { describe, expect, it } from 'vitest';
import { TestServer, withBuiltinKinds } from '../testdata/test-server.ts';

const configMaps = '/api/v1/namespaces/default/configmaps';

describe('access control', () => {
  it("reports the user and the denied action with upstream's message", async () => {
    const denyAll = { authorize: async () => ({ decision: 'no-opinion', reason: '' }) as const };
    await using server = new TestServer({ ...withBuiltinKinds, authorizer: denyAll });
    server.user = { username: 'bob', groups: [] };
    const message = async (method: string, path: string): Promise<string> => {
      const { status, json } = await server.send(method, path);
      expect(status).toBe(403);
      return json.message;
    };
    expect(await message('GET', configMaps)).toBe(
      'configmaps is forbidden: User "bob" cannot list resource "configmaps" in API group "" in the namespace "default"',
    );
    expect(await message('PUT', '/apis/apps/v1/namespaces/x/deployments/d/scale')).toBe(
      'deployments.apps "d" is forbidden: User "bob" cannot update resource "deployments/scale" in API group "apps" in the namespace "x"',
    );
    expect(await message('GET', '/api/v1/nodes')).toBe(
      'nodes is forbidden: User "bob" cannot list resource "nodes" in API group "" at the cluster scope',
    );
    expect(await message('GET', '/foo')).toBe('forbidden: User "bob" cannot get path "/foo"');
  });

  it('returns 401 for invalid credentials without reading the body', async () => {
    const rejected = new StatusError({
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      reason: 'Unauthorized',
      code: 401,
    });
    const authenticators = [{ authenticate: async () => Promise.reject(rejected) }];
    await using server = new TestServer({ ...withBuiltinKinds, authenticators });
    let read = false;
    async function* body(): AsyncGenerator<Uint8Array> {
      read = true;
      yield Buffer.from('{}');
    }
    const answer = await server.server.handle({ ...server.request('POST', configMaps), body: body() });
    expect(answer.status).toBe(401);
    expect(read).toBe(false);
  });

  it('allows impersonation only of permitted users', async () => {
    const asked: AuthorizationAttributes[] = [];
    const authorizer = {
      async authorize(attributes: AuthorizationAttributes) {
        asked.push(attributes);
        const denied = attributes.verb === 'impersonate' && attributes.resource?.name === 'root';
        return { decision: denied ? 'no-opinion' : 'allow', reason: '' } as const;
      },
    };
    const seen: Parameters<NonNullable<ApiServerOptions['audit']>>[0][] = [];
    await using server = new TestServer({ ...withBuiltinKinds, authorizer, audit: (event) => seen.push(event) });
    const headers = {
      'impersonate-user': 'system:serviceaccount:ns:robot',
      'impersonate-extra-scopes': 'view',
    };
    expect((await server.get(configMaps, headers)).status).toBe(200);
    expect(seen[0]?.user).toEqual({
      username: 'system:serviceaccount:ns:robot',
      groups: ['system:serviceaccounts', 'system:serviceaccounts:ns', 'system:authenticated'],
      extra: { scopes: ['view'] },
    });
    expect(asked.map(({ verb, resource }) => `${verb} ${resource?.resource} ${resource?.name}`)).toEqual([
      'impersonate serviceaccounts robot',
      'impersonate userextras view',
      'list configmaps ',
    ]);
    expect((await server.get(configMaps, { 'impersonate-user': 'root' })).status).toBe(403);
    expect((await server.get(configMaps, { 'impersonate-group': 'g' })).status).toBe(400);
  });

  it('rejects requests above the in-flight limits, which are separate for reads and writes', async () => {
    let open: () => void = () => {};
    const gate = new Promise<void>((resolve) => {
      open = resolve;
    });
    const plugin = { name: 'Gate', mutate: () => gate };
    await using server = new TestServer({
      ...withBuiltinKinds,
      admissionPlugins: [plugin],
      limits: { maxWriting: 1, reserved: 0 },
    });
    const first = server.post('/api/v1/namespaces', { metadata: { name: 'a' } });
    await new Promise((resolve) => setImmediate(resolve));
    const second = await server.post('/api/v1/namespaces', { metadata: { name: 'b' } });
    expect(second.status).toBe(429);
    expect(second.headers['retry-after']).toBe('1');
    expect((await server.get('/api/v1/namespaces')).status).toBe(200);
    open();
    expect((await first).status).toBe(201);
    expect((await server.post('/api/v1/namespaces', { metadata: { name: 'b' } })).status).toBe(201);
  });

  it('hides internal errors behind a generic Status and logs them', async () => {
    const plugin = {
      name: 'Broken',
      async mutate(): Promise<void> {
        throw new TypeError('secret detail');
      },
    };
    await using server = new TestServer({ ...withBuiltinKinds, admissionPlugins: [plugin] });
    const { status, text } = await server.post('/api/v1/namespaces', { metadata: { name: 'a' } });
    expect(status).toBe(500);
    expect(text).not.toContain('secret detail');
    expect(server.errors).toHaveLength(1);
  });

  it('adds an audit ID to every response', async () => {
    await using server = new TestServer(withBuiltinKinds);
    expect((await server.get('/foo')).headers['audit-id']).toMatch(/^[0-9a-f-]{36}$/);
    expect((await server.get('/foo', { 'audit-id': 'mine' })).headers['audit-id']).toBe('mine');
  });
});
