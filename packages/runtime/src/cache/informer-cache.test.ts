import { type Kind, type KubernetesObject, seededRandom, VirtualClock } from '@kubewright/apimachinery';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { ObjectEvent } from '../handler/events.ts';
import { silentLogger } from '../log/silent-logger.ts';
import { eventually } from '../testdata/eventually.ts';
import { FakeApiServer } from '../testdata/fake-api-server.ts';
import { CacheScope } from './cache-scope.ts';
import { cached } from './cached-kind.ts';
import { Informer } from './informer.ts';
import { InformerCache } from './informer-cache.ts';
import { SplitReads } from './split-reads.ts';

interface Thing extends KubernetesObject {
  readonly spec?: { readonly node?: string; readonly big?: string; readonly size?: number };
  readonly status?: { readonly phase?: string };
}
const Thing: Kind<Thing> = {
  group: 'example.com',
  version: 'v1',
  kind: 'Thing',
  plural: 'things',
  scope: 'Namespaced',
};
const Place: Kind<KubernetesObject> = {
  group: 'example.com',
  version: 'v1',
  kind: 'Place',
  plural: 'places',
  scope: 'Cluster',
};
const stops: AbortController[] = [];
afterEach(() => {
  for (const stop of stops.splice(0)) stop.abort();
});

function setUp(options: { readonly namespaces?: readonly string[] } = {}) {
  const clock = new VirtualClock();
  const server = new FakeApiServer([Thing, Place], { clock });
  const stop = new AbortController();
  stops.push(stop);
  const parts = { client: server.client, clock, random: seededRandom(3), log: silentLogger };
  const cache = new InformerCache({ ...parts, ...options });
  const client = cache.following(server.client);
  const reads = new SplitReads({ cache, client });
  const start = async (): Promise<void> => {
    void cache.run(stop.signal);
    await cache.waitForSync(stop.signal);
  };
  return { clock, server, cache, client, reads, start, stop };
}

const thing = (
  name: string,
  more: { namespace?: string; labels?: Record<string, string>; spec?: Thing['spec'] } = {},
) => {
  const { namespace = 'default', labels = {}, spec = {} } = more;
  return { apiVersion: 'example.com/v1', kind: 'Thing', metadata: { name, namespace, labels }, spec };
};
const names = (objects: readonly KubernetesObject[]): string[] =>
  objects.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`);

describe('InformerCache scopes', () => {
  it('caches namespaces with their own selectors, and all others under the empty name', async () => {
    const { server, cache, start } = setUp();
    for (const namespace of ['a', 'b', 'c', 'd']) {
      server.put(Thing, thing('red', { namespace, labels: { color: 'red' } }));
      server.put(Thing, thing('blue', { namespace, labels: { color: 'blue' } }));
    }
    const namespaces = { a: {}, b: { labelSelector: 'color=red' }, '': { fieldSelector: 'metadata.name=blue' } };
    cache.declare(cached(Thing, { namespaces }));
    await start();
    expect(names(cache.lister(Thing).list())).toEqual(['a/blue', 'a/red', 'b/red', 'c/blue', 'd/blue']);
    const fields = server.requests.map((request) =>
      new URL(`http://x${request.split(' ')[1]}`).searchParams.get('fieldSelector'),
    );
    expect(fields).toContain('metadata.name=blue,metadata.namespace!=a,metadata.namespace!=b');
  });

  it('rejects reads of uncached namespaces, and serves them live where possible', async () => {
    const { server, cache, reads, start } = setUp({ namespaces: ['a', 'b'] });
    server.put(Thing, thing('x', { namespace: 'c' }));
    cache.declare(cached(Thing));
    await start();
    const key = { namespace: 'c', name: 'x' };
    expect(() => cache.lister(Thing).get(key)).toThrow(expect.objectContaining({ code: 'KW3015' }));
    expect(() => cache.lister(Thing).list({ namespace: 'c' })).toThrow(expect.objectContaining({ code: 'KW3015' }));
    expect((await reads.get(Thing, key))?.metadata.name).toBe('x');
    expect(names(await reads.list(Thing, { namespace: 'c' }))).toEqual(['c/x']);
    expect(await reads.get(Thing, { namespace: 'c', name: 'none' })).toBeUndefined();
  });

  it('follows added namespaces, stops following removed ones, and notifies handlers', async () => {
    const { server, cache, start } = setUp();
    for (const namespace of ['a', 'b', 'c']) server.put(Thing, thing('x', { namespace }));
    const declared = cache.declare(cached(Thing, { namespaces: ['a', 'b'] }));
    await start();
    const seen: string[] = [];
    declared.subscribe((event) => seen.push(`${event.type} ${event.object.namespace}`));
    const before = server.requests.length;
    await cache.setNamespaces(Thing, { namespaces: ['b', 'c'] });
    await eventually(() => seen.length === 4);
    expect(seen).toEqual(['create a', 'create b', 'delete a', 'create c']);
    expect(names(cache.lister(Thing).list())).toEqual(['b/x', 'c/x']);
    // Remaining namespaces are not listed again, and removed namespaces hold no watch.
    expect(server.requests.slice(before).every((request) => request.includes('/namespaces/c/'))).toBe(true);
    await eventually(() => server.openWatches === 2);
  });

  it('keeps changed namespaces when the kind is declared again, until it is removed', async () => {
    const { server, cache, start, stop } = setUp({ namespaces: ['a'] });
    const declared = cache.declare(cached(Thing));
    const labeled = cache.declare(cached(Thing, { labelSelector: 'color=red' }));
    await start();
    await cache.setNamespaces(Thing, { namespaces: ['b', 'c'] });
    server.requests.length = 0;
    expect(cache.declare(cached(Thing))).toBe(declared);
    expect([declared.namespaces, labeled.namespaces]).toEqual([
      ['b', 'c'],
      ['b', 'c'],
    ]);
    // A declaration that names the current namespaces is still a separate declaration, so later changes can target it.
    expect(cache.declare(cached(Thing, { namespaces: ['b', 'c'] }))).not.toBe(declared);
    await cache.remove(Thing);
    await cache.add(cached(Thing), { signal: stop.signal });
    expect(cache.declare(cached(Thing)).namespaces).toEqual(['a']);
  });

  it('changes only the namespaces of the declaration it is given', async () => {
    const { cache, start } = setUp({ namespaces: ['a'] });
    const own = cached(Thing, { namespaces: ['operator'], labelSelector: 'color=red' });
    const [all, operator] = [cache.declare(cached(Thing)), cache.declare(own)];
    await start();
    const change = (namespaces: readonly string[], of?: typeof own) => cache.setNamespaces(Thing, { namespaces, of });
    await expect(change(['b'])).rejects.toMatchObject({ code: 'KW3019' });
    await change(['b'], cached(Thing));
    await change(['c'], own);
    await change(['d'], own);
    expect([all.namespaces, operator.namespaces]).toEqual([['b'], ['d']]);
    await expect(change(['b'], cached(Thing, { fields: ['spec'] }))).rejects.toMatchObject({ code: 'KW3001' });
    await expect(cache.setNamespaces(Place, { namespaces: ['b'] })).rejects.toThrow(/the kind is cluster-scoped/);
  });

  it('keeps the selectors of namespaces that stay', async () => {
    const { server, cache, start } = setUp();
    for (const namespace of ['a', 'b', 'c']) {
      server.put(Thing, thing('red', { namespace, labels: { color: 'red' } }));
      server.put(Thing, thing('blue', { namespace, labels: { color: 'blue' } }));
    }
    cache.declare(cached(Thing, { namespaces: { a: {}, b: { labelSelector: 'color=red' } } }));
    await start();
    await cache.setNamespaces(Thing, { namespaces: ['b', 'c'] });
    await eventually(() => cache.lister(Thing).size === 3);
    expect(names(cache.lister(Thing).list())).toEqual(['b/red', 'c/blue', 'c/red']);
  });

  it('reads one object or namespace through one informer, however many there are', async () => {
    const { server, cache, reads, start } = setUp();
    const namespaces = Array.from({ length: 40 }, (_, at) => `n${at}`);
    for (let at = 0; at < 5; at++) cache.declare(cached(Thing, { namespaces, resyncMs: at }));
    server.put(Thing, thing('x', { namespace: 'n7' }));
    await start();
    const covers = vi.spyOn(CacheScope.prototype, 'covers');
    const synced = vi.spyOn(Informer.prototype, 'hasSynced', 'get');
    const calls = (): number => covers.mock.calls.length + synced.mock.calls.length;
    const key = { namespace: 'n7', name: 'x' };
    expect((await reads.get(Thing, key))?.metadata.name).toBe('x');
    expect(calls()).toBeLessThan(5);
    expect(names(await reads.list(Thing, { namespace: 'n7' }))).toEqual(['n7/x']);
    expect([cache.peek(Thing, key)?.name, cache.isCertain(Thing, key)]).toEqual(['x', true]);
    expect(calls()).toBeLessThan(15);
    vi.restoreAllMocks();
  });

  it('shows an object written outside the selector once another client moves it into scope', async () => {
    const { server, cache, client, reads, start } = setUp();
    const seen: string[] = [];
    cache
      .declare(cached(Thing, { fieldSelector: 'status.phase=Running' }))
      .subscribe(({ type, object }) => seen.push(`${type} ${object.name}`));
    await start();
    const key = { namespace: 'default', name: 'own' };
    await client.resource(Thing).create(thing('own') as Thing);
    expect(cache.peek(Thing, key)).toBeUndefined();
    expect((await reads.get(Thing, key))?.metadata.name).toBe('own');
    server.put(Thing, { ...server.get(Thing, 'own'), status: { phase: 'Running' } });
    await eventually(() => seen.length === 1);
    expect(cache.lister(Thing).get(key)?.status?.phase).toBe('Running');
    expect(cache.peek(Thing, key)?.object.status).toEqual({ phase: 'Running' });
    server.requests.length = 0;
    expect((await reads.get(Thing, key))?.status).toEqual({ phase: 'Running' });
    expect([seen, server.requests]).toEqual([['create own'], []]);
  });

  it('releases everything however often a kind is added and removed', async () => {
    const { server, cache, start, stop, clock } = setUp();
    server.put(Thing, thing('x'));
    await start();
    const timers = clock.pendingTimers;
    for (let round = 0; round < 200; round++) {
      await cache.add(cached(Thing), { signal: stop.signal });
      expect(cache.lister(Thing).size).toBe(1);
      await cache.remove(Thing);
      expect(cache.has(Thing)).toBe(false);
    }
    await eventually(() => server.openWatches === 0);
    expect(clock.pendingTimers).toBe(timers);
    expect(() => cache.lister(Thing)).toThrow(expect.objectContaining({ code: 'KW3001' }));
  });

  it('does not remove a kind while handlers follow it', async () => {
    const { cache, start } = setUp();
    const subscription = cache.declare(cached(Thing)).subscribe(() => {});
    await start();
    await expect(cache.remove(Thing)).rejects.toMatchObject({ code: 'KW3017' });
    subscription[Symbol.dispose]();
    await cache.remove(Thing);
  });

  it('starts no watch on its own: undeclared lister reads throw and live reads do not watch', async () => {
    const { server, cache, reads, start } = setUp();
    await start();
    expect(() => cache.lister(Thing)).toThrow(expect.objectContaining({ code: 'KW3001' }));
    await reads.list(Thing);
    await reads.get(Thing, { namespace: 'default', name: 'x' });
    expect(server.requests.filter((request) => request.startsWith('watch'))).toEqual([]);
  });
});

describe('InformerCache contents', () => {
  it('keeps only the declared fields of listed, watched and written objects', async () => {
    const { server, cache, client, start } = setUp();
    server.put(Thing, {
      ...thing('a', { spec: { node: 'n1', big: 'x'.repeat(5_000), size: 3 } }),
      status: { phase: 'Up' },
    });
    cache.declare(cached(Thing, { fields: ['spec.node', 'status'] }));
    await start();
    expect(cache.lister(Thing).get({ namespace: 'default', name: 'a' })).toMatchObject({
      apiVersion: 'example.com/v1',
      spec: { node: 'n1' },
      status: { phase: 'Up' },
    });
    expect(cache.informers[0]?.memory.live).toBeLessThan(400);
    await client.resource(Thing).create(thing('b', { spec: { node: 'n2', big: 'y' } }) as Thing);
    expect(cache.lister(Thing).get({ namespace: 'default', name: 'b' })?.spec).toEqual({ node: 'n2' });
    await eventually(() => cache.informers[0]?.gauges.objects === 2);
    expect(cache.lister(Thing).get({ namespace: 'default', name: 'b' })?.spec).toEqual({ node: 'n2' });
  });

  it('transforms each object once per version and preserves its identity', async () => {
    const { server, cache, client, start } = setUp();
    server.put(Thing, thing('a', { spec: { node: 'n1' } }));
    let calls = 0;
    const transform = (object: Thing): KubernetesObject => {
      calls++;
      if (object.metadata.name === 'bad') throw new Error('no');
      return {
        apiVersion: object.apiVersion,
        kind: object.kind,
        metadata: { name: 'other' },
        spec: { node: 'changed' },
      } as Thing;
    };
    cache.declare(cached(Thing, { transform }));
    await start();
    const read = (name: string): Thing | undefined => cache.lister(Thing).get({ namespace: 'default', name });
    expect(read('a')?.spec).toEqual({ node: 'changed' });
    expect(read('a')?.metadata).toMatchObject({ name: 'a', namespace: 'default', resourceVersion: '101' });
    expect(calls).toBe(1);
    await client.resource(Thing).create(thing('bad', { spec: { size: 1 } }) as Thing);
    await eventually(() => cache.informers[0]?.gauges.objects === 2);
    expect(read('bad')?.spec).toEqual({ size: 1 });
  });

  it('preserves the metadata that the runtime depends on across a transform', async () => {
    const { server, cache, client, start } = setUp();
    const metadata = {
      finalizers: ['other.example.com/x'],
      ownerReferences: [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid: 'u' }],
    };
    server.put(Thing, { ...thing('a', { spec: { node: 'n1' } }), metadata: { name: 'a', ...metadata } });
    cache.declare(cached(Thing, { transform: ({ metadata: _, ...rest }) => rest as unknown as KubernetesObject }));
    await start();
    const read = (): Thing | undefined => cache.lister(Thing).get({ namespace: 'default', name: 'a' });
    expect(read()?.metadata).toMatchObject({ ...metadata, generation: 1 });
    await client.resource(Thing).delete({ namespace: 'default', name: 'a' });
    expect(read()?.metadata.deletionTimestamp).toBeDefined();
    await eventually(
      () => cache.lister(Thing).view({ namespace: 'default', name: 'a' })?.deletionTimestamp !== undefined,
    );
  });

  it('keeps an object unchanged if its transform returns nothing', async () => {
    const { server, cache, start } = setUp();
    server.put(Thing, thing('a', { spec: { node: 'n1' } }));
    cache.declare(cached(Thing, { transform: (() => undefined) as unknown as (object: Thing) => KubernetesObject }));
    await start();
    expect(cache.lister(Thing).get({ namespace: 'default', name: 'a' })?.spec).toEqual({ node: 'n1' });
  });

  it('caches metadata only: views and events from the cache, complete objects live', async () => {
    const { server, cache, reads, start } = setUp();
    const accepted: (string | undefined)[] = [];
    const metadataClient = server.client.intercepted((call, next) => {
      accepted.push(call.request.headers?.['accept']);
      return next(call);
    });
    server.put(Thing, thing('a', { labels: { x: '1' }, spec: { node: 'n' } }));
    const own = new InformerCache({
      client: metadataClient,
      clock: new VirtualClock(),
      random: seededRandom(1),
      log: silentLogger,
    });
    own.declare(cached(Thing, { metadataOnly: true }));
    cache.declare(cached(Thing, { metadataOnly: true }));
    await start();
    const stop = new AbortController();
    stops.push(stop);
    void own.run(stop.signal);
    await own.waitForSync(stop.signal);
    expect(accepted[0]).toContain('PartialObjectMetadata');
    expect(cache.metadata(Thing).views()[0]?.labels).toEqual({ x: '1' });
    expect(cache.metadata(Thing).list()[0]).toMatchObject({ apiVersion: 'example.com/v1', kind: 'Thing' });
    expect(() => cache.lister(Thing)).toThrow(/metadata/);
    expect((await reads.get(Thing, { namespace: 'default', name: 'a' }))?.spec).toEqual({ node: 'n' });
  });

  it('serves field selectors from indexes, with exact matches and several terms', async () => {
    const { server, cache, reads, start } = setUp();
    const make = (name: string, node: string, size: number): void =>
      void server.put(Thing, thing(name, { spec: { node, size } }));
    make('a', 'n1', 1);
    make('b', 'n1', 2);
    make('c', 'n2', 1);
    cache.declare(
      cached(Thing, {
        indexes: {
          'spec.node': (view) => [view.object.spec?.node ?? ''],
          'spec.size': (view) => [String(view.object.spec?.size)],
        },
      }),
    );
    await start();
    const found = (fieldSelector: string | Record<string, string>): string[] =>
      cache
        .lister(Thing)
        .list({ fieldSelector })
        .map(({ metadata }) => metadata.name);
    expect(found('spec.node=n1')).toEqual(['a', 'b']);
    expect(found({ 'spec.node': 'n1', 'spec.size': '1' })).toEqual(['a']);
    expect(found('metadata.name=c,spec.size=1')).toEqual(['c']);
    expect(found('spec.node=n')).toEqual([]);
    expect(found('metadata.namespace=other')).toEqual([]);
    expect(() => found('spec.node!=n1')).toThrow(expect.objectContaining({ code: 'KW3012' }));
    expect(() => found('spec.other=1')).toThrow(expect.objectContaining({ code: 'KW3012' }));
    expect(
      cache
        .lister(Thing)
        .list({ limit: 2 })
        .map(({ metadata }) => metadata.name),
    ).toEqual(['a', 'b']);
    // The server returns the same objects.
    expect(names(await reads.list(Thing, { fieldSelector: 'spec.node=n1', namespace: 'default' }))).toHaveLength(2);
  });

  it('combines the indexes of declarations with the same scope, even after the start', async () => {
    const { server, cache, start } = setUp();
    server.put(Thing, thing('a', { spec: { node: 'n1', size: 1 } }));
    const node = (view: { object: Thing }): string[] => [view.object.spec?.node ?? ''];
    const first = cache.declare(cached(Thing));
    expect(cache.declare(cached(Thing, { indexes: { node } }))).toBe(first);
    await start();
    const size = (view: { object: Thing }): string[] => [String(view.object.spec?.size)];
    expect(cache.declare(cached(Thing, { indexes: { size, node } }))).toBe(first);
    server.put(Thing, thing('b', { spec: { node: 'n2', size: 1 } }));
    await eventually(() => cache.lister(Thing).size === 2);
    const by = (name: string, value: string): number => cache.lister(Thing).list({ index: { name, value } }).length;
    expect([by('node', 'n1'), by('size', '1'), cache.informers.length]).toEqual([1, 2, 1]);
  });

  it('rejects a second function for an index name and continues with the first', async () => {
    const { server, cache, start } = setUp();
    server.put(Thing, thing('a', { spec: { node: 'n1', size: 1 } }));
    const declareNode = (field: 'node' | 'size') =>
      cache.declare(cached(Thing, { indexes: { node: (view) => [String(view.object.spec?.[field])] } }));
    const first = declareNode('node');
    for (const other of [
      () => declareNode('size'),
      // A function with the same source, but a different closure.
      () => declareNode('node'),
      () => cache.declare(cached(Thing, { resyncMs: 1, indexes: { node: () => [] } })),
    ]) {
      expect(other).toThrow(
        expect.objectContaining({
          code: 'KW3018',
          message: expect.stringMatching(/"node" of Thing.*define the function once/),
        }),
      );
    }
    await start();
    expect(names(cache.lister(Thing).list({ index: { name: 'node', value: 'n1' } }))).toEqual(['default/a']);
    expect(cache.informers).toEqual(first.informers);
    // A declaration of other objects has its own indexes.
    const some = { labelSelector: 'color=red', indexes: { node: () => [] } };
    expect(cache.declare(cached(Thing, some))).not.toBe(first);
  });

  it('replays everything after the resync period as updates without changes', async () => {
    const { server, cache, clock, start } = setUp();
    server.put(Thing, thing('a'));
    server.put(Thing, thing('b'));
    const events: ObjectEvent<KubernetesObject>[] = [];
    cache.declare(cached(Thing, { resyncMs: 60_000 })).subscribe((event) => events.push(event));
    await start();
    const before = server.requests.length;
    await clock.advance(66_001);
    expect(events.slice(2).map((event) => event.type === 'update' && event.old === event.object)).toEqual([true, true]);
    expect(server.requests).toHaveLength(before);
  });
});

describe('InformerCache with kinds that are not served', () => {
  it('waits for a missing kind, follows it within two seconds, and again after it was removed', async () => {
    const { server, cache, clock, stop } = setUp();
    server.missing.add('things');
    const seen: string[] = [];
    cache.declare(cached(Thing)).subscribe((event) => seen.push(`${event.type} ${event.object.name}`));
    void cache.run(stop.signal);
    await clock.advance(600_000);
    const [informer] = cache.informers;
    expect([informer?.hasSynced, informer?.fault]).toEqual([
      false,
      'the API server does not serve Thing: its CustomResourceDefinition is missing',
    ]);
    server.missing.delete('things');
    server.put(Thing, thing('a'));
    await clock.advance(2_000);
    await eventually(() => seen.length === 1);
    expect(informer?.fault).toBeUndefined();
    server.missing.add('things');
    server.cutWatches();
    await clock.advance(4_000);
    // Discovery has confirmed the absence only once so far.
    expect([cache.lister(Thing).size, informer?.fault]).toEqual([
      1,
      'the cache of Thing may be stale: the list request returns 404',
    ]);
    await clock.advance(6_000);
    expect(cache.lister(Thing).size).toBe(0);
    expect(informer?.fault).toMatch('does not serve Thing');
    server.missing.delete('things');
    await clock.advance(2_000);
    await eventually(() => seen.length === 3);
    expect(seen).toEqual(['create a', 'delete a', 'create a']);
  });

  it('fails the wait or continues without objects, as declared', async () => {
    const { server, cache, clock, stop } = setUp();
    server.missing.add('things');
    server.missing.add('places');
    cache.declare(cached(Place, { whenMissing: 'empty' }));
    void cache.run(stop.signal);
    await cache.waitForSync(stop.signal);
    expect(cache.lister(Place).size).toBe(0);
    expect(cache.informers[0]?.fault).toBeUndefined();
    const added = cache.add(cached(Thing, { whenMissing: 'fail' }), { signal: stop.signal });
    await expect(added).rejects.toMatchObject({ code: 'KW3016' });
    server.missing.clear();
    server.put(Place, { metadata: { name: 'here' } });
    await clock.advance(2_000);
    await eventually(() => cache.lister(Place).size === 1 && cache.lister(Thing).size === 0);
    await cache.waitForSync(stop.signal);
  });

  it('keeps listed objects while the cause of a 404 is unclear, and reports that they may be stale', async () => {
    for (const refused of ['the kind', 'everything']) {
      const { server, cache, clock, reads, start } = setUp();
      server.put(Thing, thing('a'));
      const seen: string[] = [];
      cache.declare(cached(Thing)).subscribe((event) => seen.push(`${event.type} ${event.object.name}`));
      await start();
      const [informer] = cache.informers;
      server.interrupt = ({ url }) =>
        refused === 'everything' || url.pathname.endsWith('/things') ? plainNotFound() : undefined;
      server.cutWatches();
      await clock.advance(60_000);
      expect((await reads.get(Thing, { namespace: 'default', name: 'a' }))?.metadata.name).toBe('a');
      expect([seen, informer?.fault]).toEqual([
        ['create a'],
        'the cache of Thing may be stale: the list request returns 404',
      ]);
      server.interrupt = undefined;
      server.delete(Thing, 'a');
      server.put(Thing, thing('b'));
      await clock.advance(5_000);
      await eventually(() => seen.length === 3);
      expect([seen.slice(1).sort(), informer?.fault]).toEqual([['create b', 'delete a'], undefined]);
    }
  });

  it('queries the server instead of an empty store once a kind is removed', async () => {
    const { server, cache, clock, reads, start } = setUp();
    server.put(Thing, thing('a'));
    const node = (view: { object: Thing }): string[] => [view.object.spec?.node ?? ''];
    cache.declare(cached(Thing, { indexes: { node } }));
    await start();
    server.missing.add('things');
    server.cutWatches();
    await clock.advance(10_000);
    const key = { namespace: 'default', name: 'a' };
    server.requests.length = 0;
    expect(await reads.get(Thing, key)).toBeUndefined();
    expect(server.requests).toContain('GET /apis/example.com/v1/namespaces/default/things/a');
    await expect(reads.list(Thing)).rejects.toMatchObject({ httpStatus: 404 });
    await expect(reads.list(Thing, { index: { name: 'node', value: '' } })).rejects.toMatchObject({ code: 'KW3016' });
    server.missing.clear();
    await clock.advance(2_000);
    await eventually(() => cache.lister(Thing).size === 1);
    server.requests.length = 0;
    expect(await reads.get(Thing, key)).toBeDefined();
    expect(server.requests).toEqual([]);
  });

  it('sends the server at most one request per second in total while a kind is missing', async () => {
    const { server, cache, clock, stop } = setUp();
    server.missing.add('things');
    cache.declare(cached(Thing));
    void cache.run(stop.signal);
    await clock.advance(10_000);
    server.requests.length = 0;
    await clock.advance(600_000);
    expect(server.requests.length).toBeGreaterThan(0);
    expect(server.requests.length).toBeLessThan(600);
    expect(server.requests.filter((request) => /things\?/.test(request))).toHaveLength(server.requests.length);
  });
});

/** Returns the 404 response of a proxy that has no route. */
function plainNotFound() {
  const body = async function* () {
    yield Buffer.from('404 page not found\n');
  };
  return { status: 404, headers: { 'content-type': 'text/plain' }, body: body() };
}
