import { describe, expect, it } from 'vitest';
import { TestServer } from './testdata/test-server.ts';

const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';

describe('ApiServer', () => {
  it('creates, reads, lists and deletes', async () => {
    const server = await TestServer.start();
    const created = await server.post(CONFIG_MAPS, { metadata: { name: 'a' }, data: { k: 'v' } });
    expect(server.errors).toEqual([]);
    expect(created.json).toMatchObject({
      kind: 'ConfigMap',
      apiVersion: 'v1',
      metadata: { name: 'a', namespace: 'default', creationTimestamp: '2026-01-02T03:04:05Z' },
      data: { k: 'v' },
    });
    expect(created.status).toBe(201);
    const read = await server.get(`${CONFIG_MAPS}/a`);
    expect(read.text).toBe(created.text);
    const listed = await server.get(CONFIG_MAPS);
    expect(listed.json.kind).toBe('ConfigMapList');
    const { kind: _kind, apiVersion: _apiVersion, ...item } = created.json;
    expect(listed.json.items).toEqual([item]);
    expect((await server.delete(`${CONFIG_MAPS}/a`)).json.status).toBe('Success');
    expect((await server.get(`${CONFIG_MAPS}/a`)).status).toBe(404);
  });
});
