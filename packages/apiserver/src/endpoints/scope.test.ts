import { describe, expect, it } from 'vitest';
import type { AuthorizationAttributes } from '../authorization/authorizer.ts';
import type { ResourceDefinition } from '../registry/resource-definition.ts';
import { TestServer } from '../testdata/test-server.ts';

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'];

function root({ group, version }: ResourceDefinition): string {
  return group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
}

/** Returns paths whose scope does not match the resource. None of these paths may reach an object. */
function misplaced(definition: ResourceDefinition): readonly string[] {
  const { resource, scope } = definition;
  const base = root(definition);
  const subresources = [...definition.subresources.keys()].map((name) => `/${name}`);
  const places =
    scope === 'Cluster'
      ? [`${base}/namespaces/a/${resource}`, `${base}/namespaces/a/namespaces/a/${resource}`]
      : [`${base}/${resource}`, `${base}/namespaces/a/namespaces/b/${resource}`];
  const items = places.flatMap((place) => ['', ...subresources].map((end) => `${place}/b${end}`));
  // Lists across all namespaces are served.
  return scope === 'Cluster' ? [...places, ...items] : items;
}

describe('the scope of a path', () => {
  it.each(methods)('rejects %s on every resource in the wrong scope', async (method) => {
    await using server = await TestServer.start();
    await server.post('/api/v1/namespaces', { metadata: { name: 'a' } });
    await server.post('/api/v1/namespaces', { metadata: { name: 'b' } });
    await server.post('/apis/example.com/v1/planets', widget('Planet', 'b'));
    await server.post('/apis/example.com/v1/namespaces/b/widgets', widget('Widget', 'b'));
    const { revision } = server.storage;
    const wrong: string[] = [];
    for (const definition of server.catalog.all()) {
      for (const path of misplaced(definition)) {
        const { status } = await server.send(method, path, method === 'GET' ? {} : { body: {} });
        if (status !== 404) wrong.push(`${method} ${path}: ${status}`);
      }
    }
    expect(wrong).toEqual([]);
    expect(server.storage.revision).toBe(revision);
  });

  it('never acts on a namespace other than the authorized namespace', async () => {
    const asked: AuthorizationAttributes[] = [];
    await using server = await TestServer.start({
      authorizer: {
        async authorize(attributes) {
          asked.push(attributes);
          const { resource } = attributes;
          const allowed = server.user.username === 'admin' || resource?.namespace === 'a';
          return { decision: allowed ? 'allow' : 'no-opinion', reason: '' };
        },
      },
    });
    await server.post('/api/v1/namespaces', { metadata: { name: 'a' } });
    await server.post('/api/v1/namespaces', { metadata: { name: 'b' } });
    server.user = { username: 'editor-of-a', groups: [] };
    expect((await server.delete('/api/v1/namespaces/a/namespaces/b')).json).toMatchObject({
      code: 404,
      message: 'the server could not find the requested resource',
    });
    expect((await server.put('/api/v1/namespaces/a/namespaces/b/finalize', {})).status).toBe(404);
    expect((await server.get('/api/v1/namespaces/a/namespaces')).status).toBe(404);
    expect((await server.get('/api/v1/namespaces/a/namespaces/a')).status).toBe(404);
    expect((await server.delete('/api/v1/namespaces/b')).status).toBe(403);
    server.user = { username: 'admin', groups: [] };
    expect((await server.get('/api/v1/namespaces/b')).json.metadata.deletionTimestamp).toBeUndefined();
  });
});

function widget(kind: string, name: string): object {
  return { apiVersion: 'example.com/v1', kind, metadata: { name } };
}
