import { readFileSync } from 'node:fs';
import { MutableCatalog, openApiHandler } from '@kubewright/apiserver';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Json, TestServer, widgets, withBuiltinKinds } from '../testdata/test-server.ts';

const recorded = JSON.parse(readFileSync(new URL('testdata/apps-v1-1.36.3.json', import.meta.url), 'utf8')) as {
  readonly paths: Readonly<Record<string, Readonly<Record<string, string>>>>;
  readonly schemas: readonly string[];
};
/** Schemas of operations that this server does not publish (watch paths, discovery). */
const unpublished = ['APIResource', 'APIResourceList', 'WatchEvent', 'RawExtension'];

describe('OpenAPI', () => {
  let server: TestServer;
  let catalog: MutableCatalog;
  beforeEach(() => {
    catalog = new MutableCatalog();
    server = new TestServer({ ...withBuiltinKinds, nonResourceHandlers: [openApiHandler({ catalog })] });
    for (const definition of server.catalog.all()) if (!definition.custom) catalog.put(definition);
  });
  afterEach(() => server[Symbol.asyncDispose]());

  const index = async (): Promise<Readonly<Record<string, { readonly serverRelativeURL: string }>>> =>
    (await server.get('/openapi/v3')).json.paths;

  it('lists a document, with its hash, for each group and version', async () => {
    const paths = await index();
    expect(Object.keys(paths)).toContain('api/v1');
    expect(Object.keys(paths)).toContain('apis/autoscaling/v2');
    for (const [name, { serverRelativeURL }] of Object.entries(paths)) {
      expect(serverRelativeURL).toMatch(new RegExp(`^/openapi/v3/${name}\\?hash=[0-9A-F]{128}$`));
    }
  });

  it('describes the operations of apps/v1 as 1.36.3 does', async () => {
    const { json } = await server.get('/openapi/v3/apis/apps/v1');
    const paths = Object.fromEntries(
      Object.entries(json.paths as Json).map(([path, { parameters, ...operations }]: [string, Json]) => [
        path,
        Object.fromEntries(
          Object.entries(operations).map(([method, operation]: [string, Json]) => {
            const names = (operation.parameters ?? []).map(({ name }: Json) => name).sort();
            const kind = operation['x-kubernetes-group-version-kind'].kind;
            return [method, `${operation['x-kubernetes-action']} ${kind} ${names.join(',')}`];
          }),
        ),
      ]),
    );
    expect(paths).toEqual(recorded.paths);
    const expected = recorded.schemas.filter((name) => !unpublished.includes(name.split('.').at(-1) ?? ''));
    expect(Object.keys(json.components.schemas)).toEqual(expect.arrayContaining(expected));
  });

  it('includes every schema that a document refers to', async () => {
    for (const { serverRelativeURL } of Object.values(await index())) {
      const { json, text } = await server.get(serverRelativeURL);
      const schemas = new Set(Object.keys(json.components.schemas));
      const missing = [...text.matchAll(/"\$ref":"#\/components\/schemas\/([^"]+)"/g)]
        .map(([, name]) => name ?? '')
        .filter((name) => !schemas.has(name));
      expect([serverRelativeURL, missing]).toEqual([serverRelativeURL, []]);
    }
  });

  it('gives every operation a unique ID', async () => {
    const { text } = await server.get('/openapi/v2');
    const ids = [...text.matchAll(/"operationId":"([^"]+)"/g)].map(([, id]) => id);
    expect(ids.length).toBeGreaterThan(500);
    expect(ids.filter((id, at) => ids.indexOf(id) !== at)).toEqual([]);
  });

  it('omits everything that OpenAPI v2 does not support', async () => {
    const { json, text } = await server.get('/openapi/v2');
    expect(json.swagger).toBe('2.0');
    const unknown: string[] = [];
    const visit = (schema: Json, path: string): void => {
      for (const key of ['oneOf', 'anyOf', 'allOf', 'not', 'nullable'])
        if (key in schema) unknown.push(`${path} ${key}`);
      for (const [name, field] of Object.entries(schema.properties ?? {})) visit(field, `${path}.${name}`);
      if (schema.items) visit(schema.items, `${path}[]`);
      if (schema.additionalProperties) visit(schema.additionalProperties, `${path}{}`);
    };
    for (const [name, schema] of Object.entries(json.definitions)) visit(schema, name);
    for (const [path, operations] of Object.entries<Json>(json.paths)) {
      for (const operation of Object.values<Json>(operations)) if (operation.requestBody) unknown.push(path);
    }
    expect(unknown).toEqual([]);
    const missing = [...text.matchAll(/"\$ref":"#\/definitions\/([^"]+)"/g)].filter(
      ([, name]) => !json.definitions[name ?? ''],
    );
    expect(missing).toEqual([]);
    expect(json.definitions['io.k8s.api.core.v1.Pod'].properties.spec.$ref).toBe(
      '#/definitions/io.k8s.api.core.v1.PodSpec',
    );
  });

  it('publishes custom resources with the common fields, under a new hash', async () => {
    const before = await index();
    const custom = widgets();
    const openApiSchema = {
      type: 'object',
      properties: {
        metadata: { type: 'object' },
        spec: {
          type: 'object',
          properties: {
            size: { type: 'integer', description: 'How large.' },
            template: { type: 'object', 'x-kubernetes-embedded-resource': true },
          },
        },
      },
    };
    catalog.put({ ...custom, openApiSchema });
    const name = `apis/${custom.group}/${custom.version}`;
    const after = await index();
    expect(Object.keys(after).filter((path) => !(path in before))).toEqual([name]);
    const { json } = await server.get(after[name]?.serverRelativeURL ?? '');
    const schema =
      json.components.schemas[`${custom.group.split('.').reverse().join('.')}.${custom.version}.${custom.kind}`];
    expect(Object.keys(schema.properties)).toEqual(['apiVersion', 'kind', 'metadata', 'spec']);
    expect(schema.properties.spec.properties.size).toEqual({ type: 'integer', description: 'How large.' });
    expect(Object.keys(schema.properties.spec.properties.template.properties)).toEqual([
      'apiVersion',
      'kind',
      'metadata',
    ]);
    expect(schema.properties.metadata.allOf[0].$ref).toMatch(/ObjectMeta$/);
    expect(schema['x-kubernetes-group-version-kind']).toEqual([
      { group: custom.group, version: custom.version, kind: custom.kind },
    ]);
    catalog.put({ ...custom, openApiSchema: { type: 'object' } });
    expect((await index())[name]).not.toEqual(after[name]);
    catalog.remove(custom.group, custom.version, custom.resource);
    expect(await index()).toEqual(before);
    expect((await server.get(`/openapi/v3/${name}`)).status).toBe(404);
  });

  it('names no fields of custom resources that allow any, because kubectl would reject all others', async () => {
    const { group, version, kind, ...custom } = widgets();
    const name = `${group.split('.').reverse().join('.')}.${version}.${kind}`;
    const anything = { type: 'object', 'x-kubernetes-group-version-kind': [{ group, version, kind }] };
    const open = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
    const document = async () => (await server.get('/openapi/v2')).json.definitions[name];

    catalog.put({ ...custom, group, version, kind, openApiSchema: open });
    expect(await document()).toEqual(anything);
    const path = `/openapi/v3/apis/${group}/${version}`;
    const inV3 = (await server.get(path)).json.components.schemas[name];
    expect(inV3['x-kubernetes-preserve-unknown-fields']).toBe(true);
    expect(Object.keys(inV3.properties)).toEqual(['apiVersion', 'kind', 'metadata']);

    catalog.put({ ...custom, group, version, kind, openApiSchema: undefined });
    expect((await server.get(path)).json.components.schemas[name]).toEqual(anything);
  });

  it('serves other requests while it builds the OpenAPI v2 document', async () => {
    const order: string[] = [];
    await Promise.all([
      server.get('/openapi/v2').then(() => order.push('OpenAPI')),
      server.get('/api/v1/namespaces').then(() => order.push('namespaces')),
    ]);
    expect(order).toEqual(['namespaces', 'OpenAPI']);
  });

  it('rebuilds only changed groups of the OpenAPI v2 document', async () => {
    let described = 0;
    const counting = new MutableCatalog();
    const description = (): undefined => {
      described++;
      return undefined;
    };
    await using other = new TestServer({
      ...withBuiltinKinds,
      nonResourceHandlers: [openApiHandler({ catalog: counting, description })],
    });
    for (const definition of catalog.all()) counting.put(definition);
    const before = await other.get('/openapi/v2');
    const all = described;
    const custom = widgets();
    counting.put({ ...custom, openApiSchema: { type: 'object', description: 'First.' } });
    const after = await other.get('/openapi/v2');
    expect(described - all).toBeLessThan(all / 10);
    expect(after.headers['etag']).not.toBe(before.headers['etag']);
    expect(after.text).toContain('First.');
    counting.put({ ...custom, openApiSchema: { type: 'object', description: 'Second.' } });
    expect((await other.get('/openapi/v2')).text).toContain('Second.');
    counting.remove(custom.group, custom.version, custom.resource);
    expect((await other.get('/openapi/v2')).text).toBe(before.text);
  });

  it('lets clients cache documents', async () => {
    const { serverRelativeURL: url } = (await index())['apis/batch/v1'] ?? expect.unreachable();
    const { headers } = await server.get(url);
    expect(headers['cache-control']).toContain('immutable');
    expect(await server.get(url, { 'if-none-match': String(headers['etag']) })).toMatchObject({
      status: 304,
      text: '',
    });
    const moved = await server.get('/openapi/v3/apis/batch/v1?hash=OLD');
    expect(moved).toMatchObject({ status: 301, headers: { location: url } });
  });

  it('rejects OpenAPI v3 as protobuf, so that clients fall back to JSON', async () => {
    const accept = 'application/com.github.proto-openapi.spec.v3@v1.0+protobuf';
    const path = '/openapi/v3/apis/batch/v1';
    expect((await server.get(path, { accept })).status).toBe(406);
    expect((await server.get(path, { accept: `${accept}, application/json` })).status).toBe(200);
  });

  it.each([
    ['application/com.github.proto-openapi.spec.v2@v1.0+protobuf', 'protobuf'],
    ['application/com.github.proto-openapi.spec.v2.v1.0+protobuf', 'protobuf'],
    ['application/json;q=0.5, application/com.github.proto-openapi.spec.v2.v1.0+protobuf', 'protobuf'],
    ['application/json, application/com.github.proto-openapi.spec.v2.v1.0+protobuf', 'json'],
    ['application/*', 'json'],
  ])('serves OpenAPI v2 in the format of %s', async (accept, format) => {
    const { status, headers } = await server.get('/openapi/v2', { accept });
    expect([status, headers['content-type']]).toEqual([
      200,
      format === 'json' ? 'application/json' : 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf',
    ]);
  });

  it('rejects other documents and other methods', async () => {
    expect((await server.get('/openapi/v3/apis/nope/v1')).status).toBe(404);
    expect((await server.post('/openapi/v3', {})).status).toBe(405);
  });
});
