import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { discoveryHandler } from './discovery/discovery-handler.ts';
import type { GroupPriorities } from './discovery/priorities.ts';
import { openApiHandler } from './openapi/open-api-handler.ts';
import { MutableCatalog } from './registry/resource-catalog.ts';
import { TestServer, widgets } from './testdata/test-server.ts';

const widgetPath = '/apis/example.com/v1/namespaces/default/widgets';
const widget = { apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name: 'w' } };

describe('a server with its own kinds', () => {
  let server: TestServer;
  const catalog = new MutableCatalog([widgets()]);

  beforeEach(() => {
    const serverAddress = (): string => '127.0.0.1:6443';
    server = new TestServer({
      catalog,
      admissionPlugins: [],
      nonResourceHandlers: [discoveryHandler({ catalog, serverAddress }), openApiHandler({ catalog })],
    });
  });
  afterEach(() => server[Symbol.asyncDispose]());

  it('serves them without namespaces or other built-in kinds', async () => {
    expect((await server.post(widgetPath, widget)).status).toBe(201);
    expect((await server.get(`${widgetPath}/w`)).json.metadata.name).toBe('w');
    expect((await server.get('/api/v1/namespaces')).status).toBe(404);
    expect((await server.get('/apis/apps/v1/deployments')).status).toBe(404);
  });

  it('lists only their groups in discovery and OpenAPI', async () => {
    const { groups } = (await server.get('/apis')).json;
    expect(groups.map(({ name }: { readonly name: string }) => name)).toEqual(['example.com']);
    expect((await server.get('/api')).json.versions).toEqual([]);
    expect(Object.keys((await server.get('/openapi/v3')).json.paths)).toEqual(['apis/example.com/v1']);
    const { paths, definitions } = (await server.get('/openapi/v2')).json;
    expect(Object.keys(paths).filter((path) => !path.startsWith('/apis/example.com'))).toEqual([]);
    expect(Object.keys(definitions).filter((name) => name.startsWith('io.k8s.api.core'))).toEqual([]);
  });

  it('orders groups by the given priorities, then by name', async () => {
    const groups = ['b.example.com', 'a.example.com', 'c.example.com'];
    const some = new MutableCatalog(groups.map((group) => widgets({ group, custom: false })));
    const namesWith = async (priorities?: GroupPriorities): Promise<readonly string[]> => {
      const handler = discoveryHandler({ catalog: some, serverAddress: () => '127.0.0.1:6443', priorities });
      await using ordered = new TestServer({ catalog: some, nonResourceHandlers: [handler] });
      const { json } = await ordered.get('/apis');
      return json.groups.map(({ name }: { readonly name: string }) => name);
    };
    expect(await namesWith()).toEqual(['a.example.com', 'b.example.com', 'c.example.com']);
    const priorities = { groups: new Map([['c.example.com', 2000]]), versions: new Map<string, number>() };
    expect(await namesWith(priorities)).toEqual(['c.example.com', 'a.example.com', 'b.example.com']);
  });

  it('adds no finalizer for dependents if a kind never owns others', async () => {
    const { strategy } = widgets();
    const uncollected = new MutableCatalog([widgets({ strategy: { ...strategy, garbageCollection: false } })]);
    for (const [each, status] of [
      [catalog, 'waits'],
      [uncollected, 'deleted'],
    ] as const) {
      await using one = new TestServer({ catalog: each, admissionPlugins: [] });
      await one.post(widgetPath, widget);
      await one.delete(`${widgetPath}/w`, { propagationPolicy: 'Foreground' });
      expect((await one.get(`${widgetPath}/w`)).status).toBe(status === 'waits' ? 200 : 404);
    }
  });
});
