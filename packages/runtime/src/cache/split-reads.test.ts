import { type Kind, type KubernetesObject, seededRandom, VirtualClock } from '@kubewright/apimachinery';
import { afterEach, describe, expect, it } from 'vitest';
import { silentLogger } from '../log/silent-logger.ts';
import { eventually } from '../testdata/eventually.ts';
import { FakeApiServer, json } from '../testdata/fake-api-server.ts';
import { cached } from './cached-kind.ts';
import { InformerCache } from './informer-cache.ts';
import { SplitReads } from './split-reads.ts';

const Thing: Kind<KubernetesObject & { readonly spec?: unknown; readonly status?: unknown }> = {
  group: 'example.com',
  version: 'v1',
  kind: 'Thing',
  plural: 'things',
  scope: 'Namespaced',
};
const key = { namespace: 'default', name: 'a' };
const stops: AbortController[] = [];
afterEach(() => {
  for (const stop of stops.splice(0)) stop.abort();
});

/** Creates a cache whose watch delivers nothing unless `watches` is set: reads show only what was written or queried. */
async function blind({
  kinds = [Thing],
  watches = false,
  ...options
}: {
  readonly labelSelector?: string;
  readonly kinds?: readonly (typeof Thing)[];
  readonly watches?: boolean;
} = {}) {
  const clock = new VirtualClock();
  const server = new FakeApiServer(kinds, { clock });
  const stop = new AbortController();
  stops.push(stop);
  const parts = { client: server.client, clock, random: seededRandom(3), log: silentLogger, useWatchList: false };
  const cache = new InformerCache(parts);
  const client = cache.following(server.client);
  server.put(Thing, { metadata: { name: 'old', labels: { app: 'x' } } });
  server.interrupt = ({ verb, url }) => {
    if (verb === 'watch' && !watches) return new Promise(() => {});
    if (url.pathname.endsWith('/eviction')) {
      server.delete(Thing, 'a');
      return json(201, { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success' });
    }
    return undefined;
  };
  for (const kind of kinds) cache.declare(cached(kind, options));
  void cache.run(stop.signal);
  await cache.waitForSync(stop.signal);
  const reads = new SplitReads({ cache, client });
  const gets = (): number => server.requests.filter((request) => /^GET .*\/things\/[a-z]+$/.test(request)).length;
  return { server, cache, client, things: client.resource(Thing), reads, gets };
}

const object = (more: object = {}): KubernetesObject & { spec?: unknown } => ({
  apiVersion: 'example.com/v1',
  kind: 'Thing',
  metadata: { ...key, ...more },
});

/** Configures the fake server to respond to `deletecollection` as the API server does: with the objects before the deletion. */
function deletesCollections(server: FakeApiServer): void {
  const { interrupt } = server;
  server.interrupt = (request) => {
    if (request.method !== 'DELETE' || !request.url.pathname.endsWith('/things')) return interrupt?.(request);
    const items = server.list(Thing);
    for (const { metadata } of items) server.delete(Thing, metadata.name ?? '');
    return json(200, { apiVersion: 'example.com/v1', kind: 'ThingList', metadata: {}, items });
  };
}

describe('reads after writes through the client', () => {
  it('show creates, updates, patches, status writes and deletes immediately, in gets and lists', async () => {
    const { cache, things, gets } = await blind();
    const lister = cache.lister(Thing);
    const names = (): (string | undefined)[] => lister.list().map(({ metadata }) => metadata.name);
    await things.create(object());
    expect(names()).toEqual(['a', 'old']);
    await things.update({ ...object(), spec: 1 });
    expect(lister.get(key)?.spec).toBe(1);
    await things.patch(key, { type: 'merge', body: { spec: 2 } });
    expect(lister.get(key)?.spec).toBe(2);
    await things.status.patch(key, { type: 'merge', body: { status: 3 } });
    expect(lister.get(key)?.status).toBe(3);
    await things.apply({ metadata: key, spec: 4 }, { fieldManager: 'me' });
    expect(lister.get(key)?.spec).toBe(4);
    await things.delete(key);
    expect([lister.get(key), names()]).toEqual([undefined, ['old']]);
    await things.delete({ namespace: 'default', name: 'old' });
    expect([names(), lister.size, gets()]).toEqual([[], 0, 0]);
  });

  it("do not share objects with the caller's response", async () => {
    const { cache, things } = await blind();
    const made = await things.create(object());
    (made.metadata as { labels?: object }).labels = { mine: 'x' };
    expect(cache.lister(Thing).get(key)?.metadata.labels).toBeUndefined();
  });

  it('show a deletion that waits for finalizers as deleting, and removing the last finalizer as the end', async () => {
    const { cache, things } = await blind();
    await things.create(object({ finalizers: ['x.io/y'] }));
    await things.delete(key);
    const lister = cache.lister(Thing);
    expect(lister.get(key)?.metadata.deletionTimestamp).toBeDefined();
    await things.patch(key, { type: 'merge', body: { metadata: { finalizers: [] } } });
    expect(lister.get(key)).toBeUndefined();
  });

  it("query the server once after a write whose response leaves the object's state unknown", async () => {
    const { cache, things, reads, gets, server } = await blind();
    await things.create(object());
    await things.subresource('eviction').create(key, {});
    expect(await reads.get(Thing, key)).toBeUndefined();
    expect(await reads.get(Thing, key)).toBeUndefined();
    expect([cache.lister(Thing).get(key), gets()]).toEqual([undefined, 1]);
    // A lost response leaves the state unknown too.
    const { interrupt } = server;
    server.interrupt = ({ method }) => {
      if (method !== 'POST') return undefined;
      server.put(Thing, object());
      throw Object.assign(new Error('ECONNRESET'), { sent: true });
    };
    await things.create(object()).catch(() => {});
    server.interrupt = interrupt;
    expect((await reads.list(Thing)).map(({ metadata }) => metadata.name)).toEqual(['a', 'old']);
    expect([cache.lister(Thing).get(key)?.metadata.name, gets()]).toEqual(['a', 2]);
  });

  it('query the many objects of a deleted collection with one list', async () => {
    const { things, reads, server } = await blind();
    for (let i = 0; i < 40; i++) await things.create(object({ name: `t${i}` }));
    server.put(Thing, { metadata: { name: 't7', finalizers: ['x.io/y'] } });
    deletesCollections(server);
    await things.deleteCollection({ namespace: 'default' });
    const before = server.requests.length;
    const left = await reads.list(Thing, { namespace: 'default' });
    expect(left.map(({ metadata }) => [metadata.name, metadata.deletionTimestamp !== undefined])).toEqual([
      ['t7', true],
    ]);
    await reads.list(Thing, { namespace: 'default' });
    expect(server.requests.slice(before).filter((request) => request.startsWith('GET'))).toHaveLength(1);
  });

  it('send no request for a deleted collection once the watch has shown the deletions', async () => {
    const clock = new VirtualClock();
    const server = new FakeApiServer([Thing], { clock });
    const stop = new AbortController();
    stops.push(stop);
    const cache = new InformerCache({ client: server.client, clock, random: seededRandom(3), log: silentLogger });
    for (let i = 0; i < 40; i++) server.put(Thing, { metadata: { name: `t${i}` } });
    server.put(Thing, { metadata: { name: 'kept', finalizers: ['x.io/y'] } });
    cache.declare(cached(Thing));
    void cache.run(stop.signal);
    await cache.waitForSync(stop.signal);
    const client = cache.following(server.client);
    deletesCollections(server);
    await client.resource(Thing).deleteCollection({ namespace: 'default' });
    const writes = cache.informers[0]?.ownWrites;
    await eventually(() => writes?.uncertainKeys('default').length === 0);
    const before = server.requests.length;
    const left = await new SplitReads({ cache, client }).list(Thing);
    expect(left.map(({ metadata }) => metadata.name)).toEqual(['kept']);
    expect(server.requests.slice(before).filter((request) => request.startsWith('GET'))).toEqual([]);
  });

  it('show a write in every cached version of the resource', async () => {
    const Older: typeof Thing = { ...Thing, version: 'v1beta1' };
    const { server, cache, client, reads, gets } = await blind({ kinds: [Older, Thing] });
    for (const written of [Older, Thing]) {
      const things = client.resource(written);
      const apiVersion = `example.com/${written.version}`;
      await things.create({ ...object(), apiVersion, spec: written.version });
      for (const read of [Older, Thing]) {
        expect(await reads.get(read, key)).toMatchObject({
          apiVersion: `example.com/${read.version}`,
          spec: written.version,
        });
        expect((await reads.list(read)).map(({ metadata }) => metadata.name)).toEqual(['a', 'old']);
      }
      await things.delete(key);
      for (const read of [Older, Thing]) {
        expect(await reads.get(read, key)).toBeUndefined();
        expect(cache.lister(read).list()).toHaveLength(1);
      }
      expect(server.get(Thing, 'a')).toBeUndefined();
    }
    // Sends one get per write, because a response in one API version does not show the content in the other version.
    expect(gets()).toBe(2);
  });

  it('are served from the cache once the watch has shown a write in another version', async () => {
    const Older: typeof Thing = { ...Thing, version: 'v1beta1' };
    const { server, cache, client, reads, gets } = await blind({ kinds: [Older, Thing], watches: true });
    await client.resource(Thing).create({ ...object(), spec: 1 });
    await eventually(() => [Older, Thing].every((kind) => cache.peek(kind, key)));
    await client.resource(Thing).patch(key, { type: 'merge', body: { spec: 2 } });
    await eventually(() => !cache.isUncertain(Older, key));
    expect(await reads.get(Older, key)).toMatchObject({ apiVersion: 'example.com/v1beta1', spec: 2 });
    expect([gets(), server.get(Thing, 'a').spec]).toEqual([0, 2]);
  });

  it('send no request after a write that was rejected before it was sent', async () => {
    const { client, reads, gets } = await blind();
    const fenced = client.intercepted(() => Promise.reject(new Error('refused')));
    await expect(fenced.resource(Thing).create(object())).rejects.toThrow('refused');
    expect(await reads.get(Thing, { namespace: 'default', name: 'old' })).toBeDefined();
    expect(await reads.get(Thing, key)).toBeUndefined();
    expect(gets()).toBe(0);
  });

  it('throw for objects written outside the selector, or query the server where they can', async () => {
    const { cache, things, reads } = await blind({ labelSelector: 'app=x' });
    const lister = cache.lister(Thing);
    await things.create(object());
    expect(() => lister.get(key)).toThrow(expect.objectContaining({ code: 'KW3015' }));
    expect((await reads.get(Thing, key))?.metadata.name).toBe('a');
    expect(lister.list().map(({ metadata }) => metadata.name)).toEqual(['old']);
    // An object that this client has moved out of the selector is missing from lists even before the watch reports it.
    await things.patch(
      { namespace: 'default', name: 'old' },
      { type: 'merge', body: { metadata: { labels: { app: 'y' } } } },
    );
    expect(lister.list()).toEqual([]);
    await things.patch(key, { type: 'merge', body: { metadata: { labels: { app: 'x' } } } });
    expect(lister.get(key)?.metadata.name).toBe('a');
  });

  it('keep no entries once the watch has shown the writes', async () => {
    const clock = new VirtualClock();
    const server = new FakeApiServer([Thing], { clock });
    const stop = new AbortController();
    stops.push(stop);
    const cache = new InformerCache({ client: server.client, clock, random: seededRandom(3), log: silentLogger });
    cache.declare(cached(Thing));
    void cache.run(stop.signal);
    await cache.waitForSync(stop.signal);
    const things = cache.following(server.client).resource(Thing);
    for (let i = 0; i < 300; i++) {
      const { metadata } = await things.create({ ...object(), metadata: { namespace: 'default', name: `t${i}` } });
      if (i % 2 === 0) await things.delete({ namespace: 'default', name: metadata.name });
    }
    const writes = cache.informers[0]?.ownWrites;
    await eventually(() => writes?.size === 0);
    expect(cache.lister(Thing).size).toBe(150);
  });

  it('are served live until the cache has listed', async () => {
    const clock = new VirtualClock();
    const server = new FakeApiServer([Thing], { clock });
    const cache = new InformerCache({ client: server.client, clock, random: seededRandom(3), log: silentLogger });
    cache.declare(cached(Thing));
    server.put(Thing, object());
    const reads = new SplitReads({ cache, client: server.client });
    expect((await reads.get(Thing, key))?.metadata.name).toBe('a');
    expect(await reads.list(Thing)).toHaveLength(1);
  });

  it('by an index wait until the cache has listed or their signal aborts', async () => {
    const clock = new VirtualClock();
    const server = new FakeApiServer([Thing], { clock });
    const stop = new AbortController();
    stops.push(stop);
    const cache = new InformerCache({ client: server.client, clock, random: seededRandom(3), log: silentLogger });
    cache.declare(cached(Thing, { indexes: { name: ({ name }) => [name] } }));
    server.put(Thing, object());
    const reads = new SplitReads({ cache, client: server.client });
    const index = { name: 'name', value: 'a' };
    const leaving = new AbortController();
    const left = reads.list(Thing, { index, signal: leaving.signal });
    leaving.abort(new Error('left'));
    await expect(left).rejects.toThrow('left');
    const listed = reads.list(Thing, { index });
    void cache.run(stop.signal);
    expect(await listed).toHaveLength(1);
  });
});
