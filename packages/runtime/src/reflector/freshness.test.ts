import { type Kind, type KubernetesObject, seededRandom, VirtualClock } from '@kubewright/apimachinery';
import { afterEach, describe, expect, it } from 'vitest';
import { CacheScope } from '../cache/cache-scope.ts';
import { Informer } from '../cache/informer.ts';
import { silentLogger } from '../log/silent-logger.ts';
import { FaultyServer } from './testdata/faulty-server.ts';

const Thing: Kind<KubernetesObject> = {
  group: '',
  version: 'v1',
  kind: 'Thing',
  plural: 'things',
  scope: 'Namespaced',
};
const stops: AbortController[] = [];
afterEach(() => {
  for (const stop of stops.splice(0)) stop.abort();
});

async function setUp(options: { readonly bookmarks?: boolean; readonly scope?: CacheScope } = {}) {
  const clock = new VirtualClock();
  const server = new FaultyServer(clock);
  const parts = { kind: Thing, listWatcher: server, clock, random: seededRandom(5), log: silentLogger };
  const { scope } = options;
  const informer = new Informer<KubernetesObject>({ ...parts, ...(scope && { scope }) });
  const stop = new AbortController();
  stops.push(stop);
  server.put('a');
  void informer.run(stop.signal);
  await clock.advance(1);
  const bookmarks = options.bookmarks ?? true;
  /** Advances the clock; a server that supports bookmarks sends a bookmark every minute. */
  const pass = async (seconds: number): Promise<void> => {
    for (let left = seconds; left > 0; left -= 10) {
      await clock.advance(10_000);
      server.pump();
      if (bookmarks && left % 60 === 0) server.bookmark();
    }
  };
  const read = (name: string): string | undefined =>
    informer.lister.get({ namespace: 'default', name })?.metadata.resourceVersion;
  return { clock, server, informer, pass, read };
}

const answer = (name: string, version: number): KubernetesObject => ({
  apiVersion: 'v1',
  kind: 'Thing',
  metadata: { name, namespace: 'default', uid: `u-${name}`, resourceVersion: String(version) },
});

describe('freshness', () => {
  it('is confirmed while nothing happens, with or without bookmarks', async () => {
    for (const bookmarks of [true, false]) {
      const { informer, server, pass } = await setUp({ bookmarks });
      const lists = server.lists;
      for (let i = 0; i < 60; i++) {
        await pass(60);
        expect(informer.fault).toBeUndefined();
      }
      expect([server.lists, informer.gauges.lagSeconds]).toEqual([lists, 0]);
    }
  });

  it('opens another watch within 40 s if a write of this program does not appear', async () => {
    const { server, informer, pass, read } = await setUp();
    server.halfOpen();
    server.put('b');
    informer.noteWrite(answer('b', server.version));
    expect(read('b')).toBe('2');
    const { watches } = informer.gauges;
    await pass(50);
    expect(informer.gauges.watches).toBe(watches + 1);
    expect([informer.ownWrites.size, informer.fault]).toEqual([0, undefined]);
  });

  it('does not wait for a watch with a selector to show writes outside of it', async () => {
    const { server, informer, pass } = await setUp({ scope: new CacheScope({ labelSelector: 'app=db' }) });
    const { watches } = informer.gauges;
    const { lists } = server;
    // Bookmarks arrive every minute, but all are older than the latest write.
    for (let i = 1; i <= 10; i++) {
      informer.noteWrite(answer('other', server.version + i));
      await pass(60);
      expect([informer.gauges.watches, server.lists, informer.fault]).toEqual([watches, lists, undefined]);
    }
    expect(informer.ownWrites.isOutside({ namespace: 'default', name: 'other' })).toBe(true);
  });

  it('relists if a second watch is behind too, and reports the lag in the meantime', async () => {
    const { server, informer, pass } = await setUp();
    server.lag(3_600_000);
    server.put('b');
    informer.noteWrite(answer('b', server.version));
    await pass(50);
    expect(informer.fault).toMatch(/^the cache of Thing has lagged behind the API server for/);
    const { lists } = server;
    await pass(50);
    expect(server.lists).toBe(lists + 1);
    expect([informer.ownWrites.size, informer.fault]).toEqual([0, undefined]);
  });

  it('detects a lagging watch even without local writes', async () => {
    const { server, informer, pass, read } = await setUp();
    await pass(120);
    server.lag(3_600_000);
    server.put('b');
    const faults: (string | undefined)[] = [];
    for (let i = 0; i < 62; i++) {
      await pass(10);
      faults.push(informer.fault);
    }
    expect(faults.find((fault) => fault !== undefined)).toMatch(
      /^the cache of Thing has lagged behind the API server for 1\d\d s$/,
    );
    expect([read('b'), informer.fault]).toEqual(['2', undefined]);
  });

  it('times out a hung watch after 150 s, and is not fresh after 300 s of silence', async () => {
    const { server, informer, pass } = await setUp();
    const { watches } = informer.gauges;
    server.silence(true);
    await pass(170);
    expect(informer.gauges.watches).toBe(watches + 1);
    await pass(140);
    expect(informer.fault).toMatch(/^the watch of Thing has received no events for/);
    server.silence(false);
    await pass(160);
    expect(informer.fault).toBeUndefined();
  });

  it('drops a write that the server no longer knows', async () => {
    const { server, informer, pass, read } = await setUp();
    informer.noteWrite(answer('ghost', 50));
    expect(read('ghost')).toBe('50');
    await pass(130);
    expect(read('ghost')).toBeUndefined();
    expect([server.version, informer.fault]).toEqual([1, undefined]);
  });

  it('sends almost no requests while the kind is missing, and logs the missing kind once in ten minutes', async () => {
    const seen: string[] = [];
    const log = {
      ...silentLogger,
      error: (message: string) => void seen.push(message),
      with: () => log,
      named: () => log,
    };
    const clock = new VirtualClock();
    const server = new FaultyServer(clock);
    let asked = 0;
    const missing = async (): Promise<never> => {
      asked++;
      const { notFound } = await import('@kubewright/apimachinery');
      throw notFound({ group: '', resource: 'things' }, '');
    };
    const listWatcher = { list: missing, watch: missing };
    const informer = new Informer({
      kind: Thing,
      listWatcher,
      clock,
      random: seededRandom(1),
      log: log as never,
      isAbsent: async () => true,
    });
    const stop = new AbortController();
    stops.push(stop);
    void informer.run(stop.signal);
    await clock.advance(1_190_000);
    expect(seen).toHaveLength(2);
    expect(asked / 1_190).toBeLessThan(1.1);
    expect(server.lists).toBe(0);
  });
});
