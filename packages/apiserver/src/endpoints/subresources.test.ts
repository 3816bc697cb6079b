import { describe, expect, it } from 'vitest';
import type { ConnectCall, SubresourceDefinition } from '../registry/resource-definition.ts';
import { TestServer, widgets } from '../testdata/test-server.ts';

const widgetPath = '/apis/example.com/v1/namespaces/default/widgets';
const body = { apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name: 'w' }, spec: { size: 1 } };

describe('subresources', () => {
  it('passes a connect subresource its parent and lets it change the parent', async () => {
    await using server = await TestServer.start();
    const base = widgets();
    const paint = {
      group: 'example.com',
      version: 'v1',
      kind: 'Paint',
      verbs: ['create'],
      behavior: {
        type: 'connect' as const,
        async connect({ parent, updateParent, body: sent }: ConnectCall) {
          const before = await parent();
          const after = await updateParent((draft) => {
            draft['spec'] = { ...(draft['spec'] as object), color: sent?.['color'] };
          });
          const json = { before: before.metadata.resourceVersion, after };
          return {
            status: 200,
            headers: { 'content-type': 'application/json' },
            body: Buffer.from(JSON.stringify(json)),
          };
        },
      },
    };
    server.catalog.put({ ...base, subresources: new Map([...base.subresources, ['paint', paint]]) });
    await server.post(widgetPath, body);
    const { json } = await server.post(`${widgetPath}/w/paint`, { color: 'red' });
    expect(json.after.spec).toEqual({ size: 1, color: 'red' });
    expect(Number(json.after.metadata.resourceVersion)).toBeGreaterThan(Number(json.before));
    expect((await server.post(`${widgetPath}/nope/paint`, { color: 'red' })).status).toBe(404);
    expect((await server.get(`${widgetPath}/w/paint`)).status).toBe(405);
  });

  it('requires create permission for a GET that does more than read', async () => {
    await using server = await TestServer.start({
      authorizer: {
        authorize: async ({ verb, resource }) => ({
          decision: verb === 'create' && resource?.subresource !== '' ? 'no-opinion' : 'allow',
          reason: '',
        }),
      },
    });
    const base = widgets();
    const subresource = (getNeedsCreate: boolean): SubresourceDefinition => ({
      group: 'example.com',
      version: 'v1',
      kind: 'Paint',
      verbs: ['get'],
      behavior: {
        type: 'connect',
        getNeedsCreate,
        connect: async () => ({ status: 200, headers: {}, body: new Uint8Array(0) }),
      },
    });
    const added = [
      ['color', subresource(false)],
      ['paint', subresource(true)],
    ] as const;
    server.catalog.put({ ...base, subresources: new Map([...base.subresources, ...added]) });
    expect((await server.get(`${widgetPath}/w/color`)).status).toBe(200);
    const { status, json } = await server.get(`${widgetPath}/w/paint`);
    expect(status).toBe(403);
    expect(json.message).toContain('cannot create resource "widgets/paint"');
  });

  it('responds to a create of a virtual resource without storing it', async () => {
    await using server = await TestServer.start();
    const before = server.storage.revision;
    server.catalog.put({
      ...widgets(),
      resource: 'widgetreviews',
      kind: 'Widget',
      scope: 'Cluster',
      virtual: {
        async create({ object, user }) {
          return { ...object, metadata: {}, status: { asked: user.username } } as never;
        },
      },
    });
    const { status, json } = await server.post('/apis/example.com/v1/widgetreviews', body);
    expect(status).toBe(201);
    expect(json.status).toEqual({ asked: 'admin' });
    expect(server.storage.revision).toBe(before);
    expect((await server.get('/apis/example.com/v1/widgetreviews')).status).toBe(405);
  });

  it('serves a resource only while it is in the catalog', async () => {
    await using server = await TestServer.start();
    expect((await server.get(widgetPath)).status).toBe(200);
    server.catalog.remove('example.com', 'v1', 'widgets');
    expect((await server.get(widgetPath)).status).toBe(404);
    server.catalog.put(widgets());
    expect((await server.get(widgetPath)).status).toBe(200);
  });
});
