import { type KubernetesObject, seededRandom, VirtualClock } from '@kubewright/apimachinery';
import { afterEach, describe, expect, it } from 'vitest';
import { Informer } from '../cache/informer.ts';
import { silentLogger } from '../log/silent-logger.ts';
import { type Broken, FaultyServer } from './testdata/faulty-server.ts';
import { Thing } from './testdata/subjects.ts';

const stops: AbortController[] = [];
afterEach(() => {
  for (const stop of stops.splice(0)) stop.abort();
});

async function setUp(options: { readonly useWatchList?: boolean } = {}) {
  const clock = new VirtualClock();
  const server = new FaultyServer(clock);
  server.put('a');
  const parts = { kind: Thing, listWatcher: server, clock, random: seededRandom(5), log: silentLogger };
  const informer = new Informer<KubernetesObject>({ ...parts, ...options });
  const stop = new AbortController();
  stops.push(stop);
  void informer.run(stop.signal);
  await clock.advance(5_000);
  const pass = async (seconds: number): Promise<void> => {
    for (let left = seconds; left > 0; left -= 5) {
      await clock.advance(5_000);
      server.pump();
    }
  };
  const names = (): string[] => informer.lister.views().map(({ name }) => name);
  return { clock, server, informer, pass, names };
}

const broken: readonly Broken[] = ['500', '503', 'reset', 'error 500', 'ends immediately', 'unanswered'];

describe('failing watches while lists succeed', () => {
  it.each(broken.flatMap((how) => [true, false].map((useWatchList) => ({ how, useWatchList }))))(
    'keep the cache up to date by listing: $how, WatchList $useWatchList',
    async ({ how, useWatchList }) => {
      const { server, informer, pass, names } = await setUp({ useWatchList });
      server.breakWatches(how);
      server.put('b');
      await pass(240);
      expect(names()).toEqual(['a', 'b']);
      // The cache keeps listing, so it is never far behind, but it does not list in a tight loop.
      const { lists } = server;
      await pass(3_600);
      server.put('c');
      await pass(240);
      expect([names(), informer.fault]).toEqual([['a', 'b', 'c'], undefined]);
      expect(server.lists - lists).toBeLessThan(3_840 / 15);
      server.breakWatches(undefined);
      await pass(240);
      const settled = server.lists;
      server.put('d');
      await pass(60);
      expect([names(), server.lists]).toEqual([['a', 'b', 'c', 'd'], settled]);
    },
  );

  it.each([true, false])('recover from a version that no watch can pass (WatchList %s)', async (useWatchList) => {
    const { server, pass, names } = await setUp({ useWatchList });
    server.poison();
    server.put('b');
    await pass(60);
    expect(names()).toEqual(['a', 'b']);
  });

  it.each(['503', '500', 'refused', '429'] as const)('are reopened without a list after one %s', async (failure) => {
    const { server, informer, pass, names } = await setUp({ useWatchList: false });
    const { lists, watches } = informer.gauges;
    server.fail('watch', failure);
    server.cut('end');
    server.put('b');
    await pass(40);
    expect([names(), informer.gauges.lists, informer.gauges.watches]).toEqual([['a', 'b'], lists, watches + 2]);
  });

  it('are reopened without a list after an outage, and when the server asks to wait', async () => {
    const { server, informer, pass, names } = await setUp({ useWatchList: false });
    const { lists } = informer.gauges;
    server.down(true);
    await pass(600);
    server.put('b');
    server.down(false);
    for (let i = 0; i < 5; i++) server.fail('watch', '429');
    await pass(240);
    expect([names(), informer.gauges.lists]).toEqual([['a', 'b'], lists]);
  });

  it('are reopened without a list whenever a long-lived connection is lost', async () => {
    for (const useWatchList of [true, false]) {
      const { server, pass, names } = await setUp({ useWatchList });
      const { listings } = server;
      for (let i = 0; i < 20; i++) {
        await pass(40);
        server.cut('reset');
      }
      server.put('b');
      await pass(40);
      expect([names(), server.listings]).toEqual([['a', 'b'], listings]);
    }
  });
});

describe('streamed initial states', () => {
  it('are requested again some time after a stalled stream', async () => {
    const { server, informer, pass } = await setUp();
    expect(server.lists).toBe(0);
    const relist = async (): Promise<void> => {
      server.compact();
      server.cut('error 410');
      await pass(120);
    };
    server.stall(true);
    await relist();
    expect(server.lists).toBe(1);
    server.stall(false);
    server.put('b');
    await relist();
    expect(server.lists).toBe(2);
    await pass(600);
    server.put('c');
    await relist();
    expect([server.lists, informer.fault]).toEqual([2, undefined]);
  });
});
