import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { TestServer } from '../testdata/test-server.ts';

const configMaps = '/api/v1/namespaces/default/configmaps';
const widgets = '/apis/example.com/v1/namespaces/default/widgets';
const planets = '/apis/example.com/v1/planets';

describe('updateObject', () => {
  let server: TestServer;

  beforeEach(async () => {
    server = await TestServer.start();
  });

  afterEach(async () => {
    expect(server.errors).toEqual([]);
    await server[Symbol.asyncDispose]();
  });

  it('keeps the resourceVersion if only the order of fields changes', async () => {
    const { json: created } = await server.post(configMaps, { metadata: { name: 'a' }, data: { x: '1', y: '2' } });
    await server.clock.advance(5_000);
    const { json } = await server.put(`${configMaps}/a`, { data: { y: '2', x: '1' }, metadata: { name: 'a' } });
    expect(json).toEqual(created);
  });

  it('increments the generation of custom resources on any change except metadata and status', async () => {
    await server.post(planets, {
      apiVersion: 'example.com/v1',
      kind: 'Planet',
      metadata: { name: 'p' },
      spec: { size: 1 },
    });
    const generation = async (patch: unknown): Promise<number> =>
      (await server.patch(`${planets}/p`, 'merge', patch)).json.metadata.generation;
    expect(await generation({ metadata: { labels: { a: 'b' } } })).toBe(1);
    expect(await generation({ spec: { size: 2 } })).toBe(2);
    expect(await generation({ status: { phase: 'x' } })).toBe(3);
  });

  it('changes status only through the status subresource, and nothing else through it', async () => {
    const body = {
      apiVersion: 'example.com/v1',
      kind: 'Widget',
      metadata: { name: 'w' },
      spec: { size: 1 },
      status: { size: 9 },
    };
    expect((await server.post(widgets, body)).json.status).toBeUndefined();
    const { json } = await server.patch(`${widgets}/w/status`, 'merge', { spec: { size: 5 }, status: { size: 2 } });
    expect(json).toMatchObject({ spec: { size: 1 }, status: { size: 2 }, metadata: { generation: 1 } });
  });

  it('applies many concurrent patches without losing any', async () => {
    await server.post(configMaps, { metadata: { name: 'a' } });
    const patches = Array.from({ length: 50 }, (_, i) =>
      server.patch(`${configMaps}/a`, 'merge', { data: { [`k${i}`]: 'v' } }),
    );
    for (const { status } of await Promise.all(patches)) expect(status).toBe(200);
    const { json } = await server.get(`${configMaps}/a`);
    expect(Object.keys(json.data)).toHaveLength(50);
  });

  it('creates an object once if many requests apply it concurrently', async () => {
    const applies = Array.from({ length: 20 }, (_, i) =>
      server.patch(`${configMaps}/a?fieldManager=m${i}`, 'apply', {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: 'a' },
        data: { [`k${i}`]: 'v' },
      }),
    );
    const statuses = (await Promise.all(applies)).map(({ status }) => status).sort();
    expect(statuses).toEqual([...Array.from({ length: 19 }, () => 200), 201]);
    const { json } = await server.get(`${configMaps}/a`);
    expect(Object.keys(json.data)).toHaveLength(20);
  });

  it('accepts one of many concurrent writes with the same resourceVersion', async () => {
    const { json } = await server.post(configMaps, { metadata: { name: 'a' } });
    const writes = Array.from({ length: 20 }, (_, i) =>
      server.put(`${configMaps}/a`, { metadata: json.metadata, data: { i: String(i) } }),
    );
    const statuses = (await Promise.all(writes)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(1);
    expect(statuses.filter((status) => status === 409)).toHaveLength(19);
  });

  it('removes a deleting object together with its last finalizer', async () => {
    await server.post(configMaps, { metadata: { name: 'a', finalizers: ['x.y/z'] } });
    expect((await server.delete(`${configMaps}/a`)).json.metadata.deletionTimestamp).toBe('2026-01-02T03:04:05Z');
    const { json } = await server.patch(`${configMaps}/a`, 'merge', { metadata: { finalizers: null } });
    expect(json.metadata.finalizers).toBeUndefined();
    expect((await server.get(`${configMaps}/a`)).status).toBe(404);
  });
});
