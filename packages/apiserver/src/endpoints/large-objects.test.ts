import { describe, expect, it } from 'vitest';
import { TestServer } from '../testdata/test-server.ts';

describe('objects of more than 1.5 MiB', () => {
  const widgets = '/apis/example.com/v1/namespaces/default/widgets';
  const widget = (name: string, length: number): object => ({
    apiVersion: 'example.com/v1',
    kind: 'Widget',
    metadata: { name },
    spec: { color: 'x'.repeat(length) },
  });
  // Recorded from kube-apiserver 1.36.3.
  const refused = { code: 500, message: 'etcdserver: request is too large' };

  it('are rejected with the message of etcd, for every kind of write', async () => {
    await using server = await TestServer.start();
    expect((await server.post(widgets, widget('a', 1_500_000))).status).toBe(201);
    const { revision } = server.storage;
    const created = (await server.post(widgets, widget('b', 1_572_864))).json;
    expect(created).toMatchObject(refused);
    expect(created.reason).toBeUndefined();
    const tags = { spec: { tags: { b: 'x'.repeat(100_000) } } };
    expect((await server.patch(`${widgets}/a`, 'merge', tags)).json).toMatchObject(refused);
    const applied = await server.patch(`${widgets}/c?fieldManager=m`, 'apply', widget('c', 1_600_000));
    expect(applied.json).toMatchObject(refused);
    expect(server.storage.revision).toBe(revision);
    expect((await server.get(`${widgets}/b`)).status).toBe(404);
    expect((await server.get(`${widgets}/a`)).json.spec.tags).toBeUndefined();
    expect(server.errors).toEqual([]);
  });

  it('are accepted in a dry run', async () => {
    await using server = await TestServer.start();
    expect((await server.post(`${widgets}?dryRun=All`, widget('b', 1_600_000))).status).toBe(201);
  });
});

describe('a full storage', () => {
  it('rejects writes with the message of etcd, and accepts them again after a deletion', async () => {
    const server = await TestServer.start({ maxBytes: 40_000 });
    await using _server = server;
    const path = '/api/v1/namespaces/default/configmaps';
    const map = (name: string) => ({ metadata: { name }, data: { text: 'x'.repeat(10_000) } });
    const statuses = [];
    for (const name of ['a', 'b', 'c', 'd', 'e']) statuses.push((await server.post(path, map(name))).status);
    expect(statuses.at(-1)).toBe(500);
    const refused = (await server.post(path, map('e'))).json;
    expect(refused).toMatchObject({ code: 500, message: 'etcdserver: mvcc: database space exceeded' });
    expect(refused.reason).toBeUndefined();
    expect(server.errors).toEqual([]);
    expect((await server.delete(`${path}/a`)).status).toBe(200);
    expect((await server.post(path, map('e'))).status).toBe(201);
  });
});

describe('objects whose managed fields make them too large', () => {
  it('are stored without managed fields, as in kube-apiserver 1.36.3', async () => {
    await using server = await TestServer.start();
    const path = '/api/v1/namespaces/default/configmaps';
    const data = Object.fromEntries(Array.from({ length: 100_000 }, (_, i) => [`k${i}`, '']));
    expect((await server.post(path, { metadata: { name: 'many' }, data })).status).toBe(201);
    const stored = (await server.get(`${path}/many`)).json;
    expect(stored.metadata.managedFields).toBeUndefined();
    expect(Object.keys(stored.data)).toHaveLength(100_000);
    expect((await server.patch(`${path}/many`, 'merge', { data: { more: 'x' } })).status).toBe(200);
  });
});
