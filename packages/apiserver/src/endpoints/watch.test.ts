import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Json, TestServer } from '../testdata/test-server.ts';

const configMaps = '/api/v1/namespaces/default/configmaps';

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
    const { json: a } = await server.post(configMaps, { metadata: { name: 'a' } });
    const since = a.metadata.resourceVersion;
    const pending = events(`${configMaps}?watch=1&resourceVersion=${since}`, 3);
    await server.post(configMaps, { metadata: { name: 'b' } });
    await server.patch(`${configMaps}/b`, 'merge', { data: { x: '1' } });
    await server.delete(`${configMaps}/b`);
    const seen = await pending;
    expect(seen.map(({ type, object }) => [type, object.metadata.name])).toEqual([
      ['ADDED', 'b'],
      ['MODIFIED', 'b'],
      ['DELETED', 'b'],
    ]);
    const versions = seen.map(({ object }) => Number(object.metadata.resourceVersion));
    expect(versions).toEqual([...versions].sort((x, y) => x - y));
    expect(seen[0].object.kind).toBe('ConfigMap');
    expect((await events(`${configMaps}?watch=1`, 1))[0].object.metadata.name).toBe('a');
  });

  it('reports an object that leaves the selection as deleted', async () => {
    await server.post(configMaps, { metadata: { name: 'a', labels: { app: 'x' } } });
    const pending = events(`${configMaps}?watch=1&labelSelector=app%3Dx`, 2);
    await new Promise((resolve) => setImmediate(resolve));
    await server.patch(`${configMaps}/a`, 'merge', { metadata: { labels: { app: 'y' } } });
    expect((await pending).map(({ type }) => type)).toEqual(['ADDED', 'DELETED']);
  });

  it('defines the columns of a table in the first event, even if that is a bookmark', async () => {
    const accept = 'application/json;as=Table;v=v1;g=meta.k8s.io';
    const initial = 'sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true';
    const [only] = await events(`${configMaps}?watch=1&${initial}`, 1, { accept });
    expect([only.type, only.object.columnDefinitions[0].name]).toEqual(['BOOKMARK', 'Name']);
    await server.post(configMaps, { metadata: { name: 'a' } });
    const [added, end] = await events(`${configMaps}?watch=1&${initial}`, 2, { accept });
    expect([added.type, added.object.columnDefinitions[0].name]).toEqual(['ADDED', 'Name']);
    expect([end.type, end.object.columnDefinitions]).toEqual(['BOOKMARK', null]);
  });

  it('ends at its first event for a client that requests each object as a list', async () => {
    await server.post(configMaps, { metadata: { name: 'a' } });
    const accept = 'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io';
    expect(await events(`${configMaps}?watch=1`, 1, { accept })).toEqual([]);
  });

  it('keeps no stream open for a HEAD request', async () => {
    expect((await server.send('HEAD', `${configMaps}?watch=1`)).status).toBe(405);
    expect((await server.send('HEAD', '/apis/example.com/v1/widgets?watch=1')).status).toBe(200);
    expect([...server.server.watches.counts().values()]).toEqual([0]);
  });

  it('serves the deprecated paths that name the verb', async () => {
    for (const name of ['a', 'b']) await server.post(configMaps, { metadata: { name } });
    const [all, one] = ['/api/v1/watch/configmaps', '/api/v1/watch/namespaces/default/configmaps/b'];
    const names = async (path: string, count: number): Promise<readonly string[]> =>
      (await events(path, count)).map(({ object }) => object.metadata.name);
    expect(await names(all, 2)).toEqual(['a', 'b']);
    expect(await names(one, 1)).toEqual(['b']);
    const wrong = `${one}?fieldSelector=metadata.name%3Da`;
    const mismatch = "fieldSelector metadata.name doesn't match requested name";
    expect(await server.get(wrong)).toMatchObject({ status: 400, json: { message: mismatch } });
    expect((await server.get(`${one}?fieldSelector=nonsense`)).status).toBe(400);
    expect((await server.post(all, {})).status).toBe(405);
    expect((await server.get('/api/v1/watch/nothings')).status).toBe(404);
    expect((await server.get(`${one}/status`)).status).toBe(404);
  });

  it('sends tables, with columns in the first event only', async () => {
    await server.post(configMaps, { metadata: { name: 'a' } });
    await server.post(configMaps, { metadata: { name: 'b' } });
    const accept = 'application/json;as=Table;v=v1;g=meta.k8s.io';
    const [first, second] = await events(`${configMaps}?watch=1`, 2, { accept });
    expect(first.object.columnDefinitions[0].name).toBe('Name');
    expect(first.object.rows[0].cells[0]).toBe('a');
    expect(second.object.columnDefinitions).toBeNull();
  });
});
