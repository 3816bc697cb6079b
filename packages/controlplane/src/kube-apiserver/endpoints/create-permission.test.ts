import { describe, expect, it } from 'vitest';
import { TestServer, withBuiltinKinds } from '../testdata/test-server.ts';

// Each response was recorded from kube-apiserver 1.36.3.
describe('creating by an update or a patch', () => {
  /** Starts a server whose user `joe` may do everything except create. */
  async function start(): Promise<TestServer> {
    const server = await TestServer.start({
      ...withBuiltinKinds,
      authorizer: {
        authorize: async ({ user, verb }) => ({
          decision: user.username === 'joe' && verb === 'create' ? 'no-opinion' : 'allow',
          reason: '',
        }),
      },
    });
    server.user = { username: 'joe', groups: [] };
    return server;
  }

  const refused = (resource: string, group: string, name: string): object => ({
    code: 403,
    reason: 'Forbidden',
    message: `${group === '' ? resource : `${resource}.${group}`} "${name}" is forbidden: User "joe" cannot create resource "${resource}" in API group "${group}" in the namespace "default"`,
  });
  const map = '/api/v1/namespaces/default/configmaps/x';
  const leasePath = '/apis/coordination.k8s.io/v1/namespaces/default/leases/x';
  const widgetPath = '/apis/example.com/v1/namespaces/default/widgets/x';
  const apply = (server: TestServer, path: string, body: object) =>
    server.patch(`${path}${path.includes('?') ? '&' : '?'}fieldManager=m`, 'apply', body);
  const configMap = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'x' } };
  const widget = { apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name: 'x' } };

  it('also needs the permission to create', async () => {
    await using server = await start();
    const { revision } = server.storage;
    expect((await apply(server, map, configMap)).json).toMatchObject(refused('configmaps', '', 'x'));
    expect((await apply(server, `${map}?dryRun=All`, configMap)).status).toBe(403);
    expect((await apply(server, widgetPath, widget)).json).toMatchObject(refused('widgets', 'example.com', 'x'));
    const lease = { metadata: { name: 'x' }, spec: {} };
    expect((await server.put(leasePath, lease)).json).toMatchObject(refused('leases', 'coordination.k8s.io', 'x'));
    expect((await server.patch(leasePath, 'merge', lease)).status).toBe(404);
    expect(server.storage.revision).toBe(revision);
  });

  it('reports an invalid object before the missing permission', async () => {
    await using server = await start();
    expect((await apply(server, map, { ...configMap, data: { 'Ü ': '' } })).status).toBe(422);
    expect((await server.put(leasePath, { metadata: { name: 'x' }, spec: { leaseDurationSeconds: -1 } })).status).toBe(
      422,
    );
  });

  it('needs only the update or patch permission when the object exists', async () => {
    await using server = await start();
    server.user = { username: 'admin', groups: [] };
    expect((await apply(server, map, configMap)).status).toBe(201);
    expect((await server.put(leasePath, { metadata: { name: 'x' }, spec: {} })).status).toBe(201);
    server.user = { username: 'joe', groups: [] };
    expect((await apply(server, map, { ...configMap, data: { a: 'b' } })).status).toBe(200);
    const { json: lease } = await server.get(leasePath);
    expect((await server.put(leasePath, { ...lease, spec: { holderIdentity: 'a' } })).status).toBe(200);
  });
});
