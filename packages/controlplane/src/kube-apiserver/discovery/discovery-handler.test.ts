import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { discoveryHandler, MutableCatalog, type ResourceDefinition } from '@kubewright/apiserver';
import { crdDefinition } from '@kubewright/apiserver/internal';
import type { BuiltinResource } from '@kubewright/schema/internal';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { builtinDefinitions, builtinPriorities } from '../../kinds/index.ts';
import { TestServer, widgets, withBuiltinKinds } from '../testdata/test-server.ts';

const aggregated =
  'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList,application/json';
const recorded = JSON.parse(readFileSync(new URL('testdata/discovery-1.36.3.json', import.meta.url), 'utf8')) as {
  readonly documents: Readonly<Record<string, string>>;
};

describe('discovery', () => {
  let server: TestServer;
  let catalog: MutableCatalog;
  beforeEach(() => {
    catalog = new MutableCatalog();
    const handler = discoveryHandler({ catalog, serverAddress: () => '127.0.0.1:6443', priorities: builtinPriorities });
    server = new TestServer({ ...withBuiltinKinds, nonResourceHandlers: [handler] });
    for (const definition of definitions(server)) catalog.put(definition);
  });
  afterEach(() => server[Symbol.asyncDispose]());

  describe('matches the documents of 1.36.3 for built-in kinds', () => {
    it.each(Object.entries(recorded.documents))('%s', async (name, hash) => {
      const [path = '', form] = name.split(' ');
      const { json, status } = await server.get(path, form ? { accept: aggregated } : {});
      expect(status).toBe(200);
      expect(digest(json)).toBe(hash);
    });
  });

  it("contains the server's address", async () => {
    expect((await server.get('/api')).json).toEqual({
      kind: 'APIVersions',
      versions: ['v1'],
      serverAddressByClientCIDRs: [{ clientCIDR: '0.0.0.0/0', serverAddress: '127.0.0.1:6443' }],
    });
  });

  it('describes a single group', async () => {
    expect((await server.get('/apis/autoscaling/')).json).toEqual({
      kind: 'APIGroup',
      apiVersion: 'v1',
      name: 'autoscaling',
      versions: [
        { groupVersion: 'autoscaling/v2', version: 'v2' },
        { groupVersion: 'autoscaling/v1', version: 'v1' },
      ],
      preferredVersion: { groupVersion: 'autoscaling/v2', version: 'v2' },
    });
  });

  it('distinguishes unknown groups from unknown versions', async () => {
    expect(await server.get('/apis/nope')).toMatchObject({ status: 404, text: '404 page not found\n' });
    expect(await server.get('/apis/nope/v1')).toMatchObject({ status: 404, text: '404 page not found\n' });
    for (const path of ['/apis/apps/v9', '/api/v2']) {
      expect((await server.get(path)).json).toMatchObject({
        code: 404,
        reason: 'NotFound',
        message: 'the server could not find the requested resource',
      });
    }
  });

  it('serves the aggregated form with its media type, and 304 for a matching ETag', async () => {
    const { headers } = await server.get('/apis', { accept: aggregated });
    expect(headers['content-type']).toBe('application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList');
    expect(headers['vary']).toBe('Accept');
    const again = await server.get('/apis', { accept: aggregated, 'if-none-match': String(headers['etag']) });
    expect(again).toMatchObject({ status: 304, text: '' });
    catalog.put(widgets());
    const changed = await server.get('/apis', { accept: aggregated, 'if-none-match': String(headers['etag']) });
    expect(changed.status).toBe(200);
  });

  it.each([
    ['application/json', 'APIGroupList'],
    ['application/json, application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList', 'APIGroupList'],
    ['application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList,application/json', 'APIGroupList'],
    [aggregated, 'APIGroupDiscoveryList'],
  ])('chooses the form by Accept: %s → %s', async (accept, kind) => {
    expect((await server.get('/apis', { accept })).json.kind).toBe(kind);
  });

  it('rejects unsupported forms', async () => {
    const accept = 'application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList';
    expect((await server.get('/apis', { accept })).status).toBe(406);
    expect((await server.get('/apis/batch', { accept: 'text/html' })).status).toBe(406);
  });

  it('serves YAML', async () => {
    const { headers, text } = await server.get('/apis/batch', { accept: 'application/yaml' });
    expect(headers['content-type']).toBe('application/yaml');
    expect(text).toContain('kind: APIGroup\n');
  });

  it('shows custom resources only while they are defined', async () => {
    const custom = widgets();
    const names = async (): Promise<readonly string[]> =>
      (await server.get('/apis')).json.groups.map(({ name }: { readonly name: string }) => name);
    expect(await names()).not.toContain(custom.group);
    catalog.put(custom);
    expect((await names()).at(-1)).toBe(custom.group);
    const { resources } = (await server.get(`/apis/${custom.group}/${custom.version}`)).json;
    expect(resources[0]).toMatchObject({ name: custom.resource, kind: custom.kind, shortNames: custom.shortNames });
    const { items } = (await server.get('/apis', { accept: aggregated })).json;
    expect(items.at(-1).versions[0].resources[0].responseKind).toEqual({
      group: custom.group,
      version: custom.version,
      kind: custom.kind,
    });
    catalog.remove(custom.group, custom.version, custom.resource);
    expect(await names()).not.toContain(custom.group);
    expect((await server.get(`/apis/${custom.group}/${custom.version}`)).status).toBe(404);
  });
});

function definitions({ clock, random }: TestServer): readonly ResourceDefinition[] {
  const unused = (): never => expect.unreachable();
  const tools = { compilePattern: unused, environment: undefined as never };
  const options = { tools, clock, namesInUse: unused };
  const foreign = new Map([['customresourcedefinitions', (row: BuiltinResource) => crdDefinition(row, options)]]);
  return builtinDefinitions({ clock, random, foreign });
}

function digest(value: unknown): string {
  return createHash('sha256')
    .update(JSON.stringify(sorted(value)))
    .digest('hex')
    .slice(0, 24);
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, member]) => [key, sorted(member)]),
  );
}
