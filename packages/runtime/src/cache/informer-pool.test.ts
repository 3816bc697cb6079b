import { type Kind, type KubernetesObject, seededRandom, VirtualClock } from '@kubewright/apimachinery';
import { afterEach, describe, expect, it } from 'vitest';
import { silentLogger } from '../log/silent-logger.ts';
import { eventually } from '../testdata/eventually.ts';
import { FakeApiServer } from '../testdata/fake-api-server.ts';
import { cached, type IndexFunc } from './cached-kind.ts';
import { InformerCache } from './informer-cache.ts';
import { InformerPool } from './informer-pool.ts';

const Thing: Kind<KubernetesObject> = {
  group: 'example.com',
  version: 'v1',
  kind: 'Thing',
  plural: 'things',
  scope: 'Namespaced',
};
const stops: AbortController[] = [];
afterEach(() => {
  for (const stop of stops.splice(0)) stop.abort();
});

function setUp() {
  const clock = new VirtualClock();
  const server = new FakeApiServer([Thing], { clock });
  const parts = { client: server.client, clock, random: seededRandom(3), log: silentLogger };
  const informers = new InformerPool(parts);
  /** Runs one of several caches, like the manager of a component. */
  const start = async (indexes: Readonly<Record<string, IndexFunc<KubernetesObject>>> = {}) => {
    const stop = new AbortController();
    stops.push(stop);
    const cache = new InformerCache({ ...parts, informers });
    const declared = cache.declare(cached(Thing, { indexes }));
    const ended = cache.run(stop.signal);
    await cache.waitForSync(stop.signal);
    return { cache, declared, stop, ended, client: cache.following(server.client) };
  };
  return { server, informers, start };
}

const thing = (name: string, labels: Record<string, string> = {}) => ({
  apiVersion: 'example.com/v1',
  kind: 'Thing',
  metadata: { name, namespace: 'default', labels },
});
const byColor: IndexFunc<KubernetesObject> = ({ labels }) => [labels['color'] ?? ''];
const bySize: IndexFunc<KubernetesObject> = ({ labels }) => [labels['size'] ?? ''];

describe('InformerPool', () => {
  it('follows a kind once for all caches, with the indexes of each', async () => {
    const { server, start } = setUp();
    server.put(Thing, thing('a', { color: 'red', size: 'big' }));
    const first = await start({ color: byColor });
    const requests = [...server.requests];
    const second = await start({ size: bySize });
    expect(server.requests).toEqual(requests);
    expect(server.openWatches).toBe(1);
    const found = (cache: InformerCache, name: string, value: string) =>
      cache.lister(Thing).views({ index: { name, value } }).length;
    expect([found(first.cache, 'color', 'red'), found(second.cache, 'size', 'big')]).toEqual([1, 1]);
    server.put(Thing, thing('b', { color: 'red' }));
    await eventually(() => found(first.cache, 'color', 'red') === 2);
  });

  it('shows each cache the existing objects, and later events', async () => {
    const { server, start } = setUp();
    server.put(Thing, thing('a'));
    await start();
    const late = await start();
    const seen: string[] = [];
    late.declared.subscribe(({ type, object }) => seen.push(`${type} ${object.name}`));
    server.put(Thing, thing('b'));
    await eventually(() => seen.length === 2);
    expect(seen).toEqual(['create a', 'create b']);
  });

  it('shows a write through one cache in all of them', async () => {
    const { start } = setUp();
    const [first, second] = [await start(), await start()];
    await first.client.resource(Thing).create(thing('own'));
    expect(second.cache.lister(Thing).get({ namespace: 'default', name: 'own' })).toBeDefined();
  });

  it('runs an informer until its last cache has stopped, and starts another for the next cache', async () => {
    const { server, informers, start } = setUp();
    const [first, second] = [await start(), await start()];
    first.stop.abort();
    await first.ended;
    server.put(Thing, thing('a'));
    await eventually(() => second.cache.lister(Thing).size === 1);
    second.stop.abort();
    await second.ended;
    expect(informers.informers).toEqual([]);
    await eventually(() => server.openWatches === 0);
    const third = await start();
    expect([third.cache.lister(Thing).size, server.openWatches]).toEqual([1, 1]);
  });

  it('gives a cache a separate informer if its index has the name of a different index', async () => {
    const { server, informers, start } = setUp();
    server.put(Thing, thing('a', { color: 'red', size: 'big' }));
    await start({ index: byColor });
    const other = await start({ index: bySize });
    expect(informers.informers).toHaveLength(2);
    expect(other.cache.lister(Thing).views({ index: { name: 'index', value: 'big' } })).toHaveLength(1);
    expect(() => other.cache.declare(cached(Thing, { indexes: { index: byColor } }))).toThrow(
      expect.objectContaining({ code: 'KW3018' }),
    );
  });
});
