import { describe, expect, it } from 'vitest';
import { TestServer } from './testdata/test-server.ts';

const configMaps = '/api/v1/namespaces/default/configmaps';

describe('ApiServer', () => {
  it('creates, reads, lists and deletes', async () => {
    const server = await TestServer.start();
    const created = await server.post(configMaps, { metadata: { name: 'a' }, data: { k: 'v' } });
    expect(server.errors).toEqual([]);
    expect(created.json).toMatchObject({
      kind: 'ConfigMap',
      apiVersion: 'v1',
      metadata: { name: 'a', namespace: 'default', creationTimestamp: '2026-01-02T03:04:05Z' },
      data: { k: 'v' },
    });
    expect(created.status).toBe(201);
    const read = await server.get(`${configMaps}/a`);
    expect(read.text).toBe(created.text);
    const listed = await server.get(configMaps);
    expect(listed.json.kind).toBe('ConfigMapList');
    const { kind: _kind, apiVersion: _apiVersion, ...item } = created.json;
    expect(listed.json.items).toEqual([item]);
    expect((await server.delete(`${configMaps}/a`)).json.status).toBe('Success');
    expect((await server.get(`${configMaps}/a`)).status).toBe(404);
  });
});
