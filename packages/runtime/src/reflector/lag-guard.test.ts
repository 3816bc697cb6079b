import { type KubernetesObject, seededRandom, VirtualClock } from '@kubewright/apimachinery';
import { afterEach, describe, expect, it } from 'vitest';
import { Informer } from '../cache/informer.ts';
import { silentLogger } from '../log/silent-logger.ts';
import { type Broken, FaultyServer } from './testdata/faulty-server.ts';
import { Thing } from './testdata/subjects.ts';

// A lost watch must not make reads forget writes of this process, or make a stale cache look fresh.

const stops: AbortController[] = [];
afterEach(() => {
  for (const stop of stops.splice(0)) stop.abort();
});

async function setUp(options: { readonly useWatchList?: boolean } = {}) {
  const clock = new VirtualClock();
  const server = new FaultyServer(clock);
  const log: string[] = [];
  const logger = { ...silentLogger, warn: (message: string) => void log.push(message), with: () => logger };
  const parts = { kind: Thing, listWatcher: server, clock, random: seededRandom(5), log: logger as never };
  const informer = new Informer<KubernetesObject>({ ...parts, ...options });
  const stop = new AbortController();
  stops.push(stop);
  server.put('a');
  void informer.run(stop.signal);
  await clock.advance(5_000);
  /** Writes an object on behalf of this process, and records the response. */
  const write = (name: string): void => {
    server.put(name);
    informer.noteWrite(server.state.get(name)!);
  };
  const read = (name: string): string | undefined =>
    informer.lister.get({ namespace: 'default', name })?.metadata.resourceVersion;
  /** Advances the clock second by second and checks the invariant at each step. */
  const pass = async (seconds: number, always: () => void = () => {}): Promise<void> => {
    for (let i = 0; i < seconds; i++) {
      await clock.advance(1_000);
      server.pump();
      if (i % 60 === 59) server.bookmark();
      always();
    }
  };
  return { clock, server, informer, log, write, read, pass };
}

const ways: readonly (Broken | 'down')[] = ['503', 'reset', 'error 500', 'unanswered', 'ends immediately', 'down'];

describe('own writes without a watch', () => {
  it.each(ways.flatMap((how) => [true, false].map((useWatchList) => ({ how, useWatchList }))))(
    'are readable for as long as the failure lasts: $how, WatchList $useWatchList',
    async ({ how, useWatchList }) => {
      for (const seconds of [100, 3_600]) {
        const { server, informer, write, read, pass } = await setUp({ useWatchList });
        server.silence(true);
        if (how === 'down') server.down(true);
        else server.breakWatches(how);
        write('b');
        const version = read('b');
        expect(version).toBe('2');
        await pass(20);
        server.silence(false);
        await pass(seconds, () => expect(read('b')).toBe(version));
        server.breakWatches(undefined);
        server.heal();
        await pass(360, () => expect(read('b')).toBe(version));
        expect([informer.ownWrites.size, informer.fault]).toEqual([0, undefined]);
      }
    },
  );

  it('are readable while neither lists nor watches respond, and the cache reports that it is behind', async () => {
    const { server, informer, log, write, read, pass } = await setUp();
    const { lists } = server;
    server.down(true);
    write('b');
    await pass(45);
    for (let i = 0; i < 60; i++) {
      await pass(10, () => expect(read('b')).toBe('2'));
      expect(informer.fault).toMatch(/lagged behind|has received no events for/);
    }
    // No request got a response, so no lag is logged.
    expect(log.filter((line) => /watch is|does not know/.test(line))).toEqual([]);
    server.heal();
    await pass(60, () => expect(read('b')).toBe('2'));
    expect([informer.ownWrites.size, informer.fault, server.lists]).toEqual([0, undefined, lists]);
  });

  it('stay uncertain for as long as the outage lasts', async () => {
    const { server, informer, pass } = await setUp();
    const key = { namespace: 'default', name: 'b' };
    informer.ownWrites.uncertain(key);
    server.down(true);
    await pass(3_600, () => expect(informer.ownWrites.isUncertain(key)).toBe(true));
    server.heal();
    await pass(240);
    expect(informer.ownWrites.isUncertain(key)).toBe(false);
  });

  it('are dropped when a list of the newest state lacks them, but not while that list fails', async () => {
    const { server, informer, write, read, pass } = await setUp({ useWatchList: false });
    const ghost = { ...server.state.get('a')!, metadata: { ...server.state.get('a')!.metadata, name: 'ghost' } };
    informer.noteWrite({ ...ghost, metadata: { ...ghost.metadata, resourceVersion: '50' } });
    await pass(45);
    for (let i = 0; i < 60; i++) server.fail('list', '500');
    await pass(300, () => expect(read('ghost')).toBe('50'));
    expect(informer.fault).toMatch(/lagged behind|has received no events for/);
    server.heal();
    write('late');
    const version = read('late');
    await pass(300, () => expect(read('late')).toBe(version));
    expect([read('ghost'), informer.ownWrites.size, informer.fault]).toEqual([undefined, 0, undefined]);
  });

  it('appear through a list of the newest state when lists and watches are served from a lagging cache', async () => {
    const { server, informer, write, read, pass } = await setUp();
    server.lag(36_000_000);
    server.breakWatches('503');
    write('b');
    await pass(240, () => expect(read('b')).toBe('2'));
    expect([informer.ownWrites.size, informer.fault]).toEqual([0, undefined]);
  });
});
