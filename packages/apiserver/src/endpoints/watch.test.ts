import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Json, TestServer } from '../testdata/test-server.ts';

const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';

describe('watch', () => {
  let server: TestServer;
  const abort = new AbortController();

  beforeEach(async () => {
    server = await TestServer.start();
  });

  afterEach(async () => {
    await server[Symbol.asyncDispose]();
  });

  async function events(path: string, count: number, headers: Record<string, string> = {}): Promise<Json[]> {
    const response = await server.server.handle(server.request('GET', path, { headers, signal: abort.signal }));
    expect(response.status).toBe(200);
    const seen: Json[] = [];
    for await (const chunk of response.body as AsyncIterable<Uint8Array>) {
      for (const line of Buffer.from(chunk).toString('utf8').trim().split('\n')) seen.push(JSON.parse(line));
      if (seen.length >= count) break;
    }
    return seen;
  }

  it('sends the state, then changes, with their resource versions', async () => {
    const { json: a } = await server.post(CONFIG_MAPS, { metadata: { name: 'a' } });
    const since = a.metadata.resourceVersion;
    const pending = events(`${CONFIG_MAPS}?watch=1&resourceVersion=${since}`, 3);
    await server.post(CONFIG_MAPS, { metadata: { name: 'b' } });
    await server.patch(`${CONFIG_MAPS}/b`, 'merge', { data: { x: '1' } });
    await server.delete(`${CONFIG_MAPS}/b`);
    const seen = await pending;
    expect(seen.map(({ type, object }) => [type, object.metadata.name])).toEqual([
      ['ADDED', 'b'],
      ['MODIFIED', 'b'],
      ['DELETED', 'b'],
    ]);
    const versions = seen.map(({ object }) => Number(object.metadata.resourceVersion));
    expect(versions).toEqual([...versions].sort((x, y) => x - y));
    expect(seen[0].object.kind).toBe('ConfigMap');
    expect((await events(`${CONFIG_MAPS}?watch=1`, 1))[0].object.metadata.name).toBe('a');
  });

  it('reports an object that leaves the selection as deleted', async () => {
    await server.post(CONFIG_MAPS, { metadata: { name: 'a', labels: { app: 'x' } } });
    const pending = events(`${CONFIG_MAPS}?watch=1&labelSelector=app%3Dx`, 2);
    await new Promise((resolve) => setImmediate(resolve));
    await server.patch(`${CONFIG_MAPS}/a`, 'merge', { metadata: { labels: { app: 'y' } } });
    expect((await pending).map(({ type }) => type)).toEqual(['ADDED', 'DELETED']);
  });

  it('keeps no stream open for a HEAD request', async () => {
    expect((await server.send('HEAD', `${CONFIG_MAPS}?watch=1`)).status).toBe(200);
    expect([...server.server.watches.counts().values()]).toEqual([0]);
  });

  it('sends tables, with columns in the first event only', async () => {
    await server.post(CONFIG_MAPS, { metadata: { name: 'a' } });
    await server.post(CONFIG_MAPS, { metadata: { name: 'b' } });
    const accept = 'application/json;as=Table;v=v1;g=meta.k8s.io';
    const [first, second] = await events(`${CONFIG_MAPS}?watch=1`, 2, { accept });
    expect(first.object.columnDefinitions[0].name).toBe('Name');
    expect(first.object.rows[0].cells[0]).toBe('a');
    expect(second.object.columnDefinitions).toBeNull();
  });
});
