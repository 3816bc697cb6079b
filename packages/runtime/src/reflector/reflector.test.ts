import { type Kind, type KubernetesObject, seededRandom, VirtualClock } from '@kubewright/apimachinery';
import { afterEach, describe, expect, it } from 'vitest';
import { Informer } from '../cache/informer.ts';
import type { ObjectEvent } from '../handler/events.ts';
import { silentLogger } from '../log/silent-logger.ts';
import { eventually } from '../testdata/eventually.ts';
import { FakeApiServer, failure, json, line, stream } from '../testdata/fake-api-server.ts';
import { listWatcher } from './list-watcher.ts';

interface Thing extends KubernetesObject {
  readonly spec?: { readonly value?: unknown };
}
const Thing: Kind<Thing> = { group: '', version: 'v1', kind: 'Thing', plural: 'things', scope: 'Namespaced' };
const stops: AbortController[] = [];
afterEach(() => {
  for (const stop of stops.splice(0)) stop.abort();
});

interface Setup {
  readonly clock: VirtualClock;
  readonly server: FakeApiServer;
  readonly informer: Informer<Thing>;
  readonly events: string[];
  readonly full: ObjectEvent<Thing>[];
  start(): Promise<void>;
  names(): string[];
}

function setUp(options: { readonly useWatchList?: boolean } = {}): Setup {
  const clock = new VirtualClock();
  const server = new FakeApiServer([Thing], { clock });
  const stop = new AbortController();
  stops.push(stop);
  const informer = new Informer<Thing>({
    kind: Thing,
    listWatcher: listWatcher(server.client, { kind: Thing, scope: {} }),
    clock,
    random: seededRandom(7),
    log: silentLogger,
    ...options,
  });
  const events: string[] = [];
  const full: ObjectEvent<Thing>[] = [];
  informer.subscribe((event) => {
    full.push(event);
    events.push(
      `${event.type} ${event.object.name}${event.type === 'create' && event.isInInitialList ? ' initial' : ''}`,
    );
  });
  const start = async (): Promise<void> => {
    void informer.run(stop.signal);
    await eventually(() => informer.hasSynced && server.openWatches > 0, 'sync');
  };
  return {
    clock,
    server,
    informer,
    events,
    full,
    start,
    names: () => informer.lister.views().map((view) => view.name),
  };
}

function thing(name: string, value?: unknown): Pick<Thing, 'metadata' | 'spec'> {
  return { metadata: { name }, spec: { value } };
}

function calls(server: FakeApiServer): string[] {
  // The lag guard periodically lists one object.
  const asked = server.requests.filter((request) => !/[?&]limit=1(&|$)/.test(request));
  return asked.map((request) => {
    const url = new URL(request.split(' ')[1] ?? '', 'http://x');
    const verb = request.startsWith('watch') ? 'watch' : 'list';
    return `${verb} ${url.searchParams.get('sendInitialEvents') ? 'initial ' : ''}rv=${url.searchParams.get('resourceVersion') ?? ''}`;
  });
}

describe('Reflector', () => {
  it('streams the initial state and continues with the same watch', async () => {
    const { server, events, start, names } = setUp();
    server.put(Thing, thing('a'));
    await start();
    server.put(Thing, thing('b'));
    server.put(Thing, thing('a', 2));
    server.delete(Thing, 'b');
    await eventually(() => events.length === 4);
    expect(events).toEqual(['create a initial', 'create b', 'update a', 'delete b']);
    expect(names()).toEqual(['a']);
    expect(calls(server)).toEqual(['watch initial rv=']);
  });

  it('lists if the server does not stream lists, from its cache first', async () => {
    const { server, start, events } = setUp();
    server.watchListSupported = false;
    for (let i = 0; i < 1_200; i++) server.put(Thing, thing(`t${i}`));
    await start();
    expect(events).toHaveLength(1_200);
    expect(calls(server)).toEqual(['watch initial rv=', 'list rv=0', 'list rv=', 'list rv=', 'watch rv=1300']);
    expect(server.requests.filter((request) => request.includes('limit=500'))).toHaveLength(3);
  });

  it('resumes a watch that ended, without a list', async () => {
    const { server, clock, start, events } = setUp({ useWatchList: false });
    server.put(Thing, thing('a'));
    await start();
    await clock.advance(5_000);
    server.cutWatches();
    server.put(Thing, thing('b'));
    await eventually(() => events.includes('create b'));
    await clock.advance(5_000);
    server.cutWatches(new Error('ECONNRESET'));
    await eventually(() => server.openWatches === 0);
    server.put(Thing, thing('c'));
    await clock.advance(10_000);
    await eventually(() => events.includes('create c'));
    expect(calls(server).filter((call) => call.startsWith('list'))).toHaveLength(1);
  });

  it('lists at the last version after 410, and reports the events it missed', async () => {
    const { server, clock, start, events, full, names } = setUp({ useWatchList: false });
    server.put(Thing, thing('gone'));
    server.put(Thing, thing('again', 1));
    await start();
    let blocked = true;
    server.interrupt = ({ verb }) => {
      if (blocked && verb === 'watch') throw failure(500, 'InternalError', 'no');
      return undefined;
    };
    await clock.advance(5_000);
    server.cutWatches();
    await eventually(() => server.openWatches === 0);
    const oldUid = server.get(Thing, 'again').metadata.uid;
    server.delete(Thing, 'gone');
    server.delete(Thing, 'again');
    server.put(Thing, thing('again', 2));
    server.compact();
    blocked = false;
    await clock.advance(60_000);
    await eventually(() => names().length === 1 && events.length >= 5);
    expect(events.slice(2)).toEqual(['delete again', 'create again', 'delete gone']);
    expect(full[2]?.object.uid).toBe(oldUid);
    expect(full.slice(2).map((event) => event.type === 'delete' && event.deleteStateUnknown)).toEqual([
      true,
      false,
      true,
    ]);
    expect(calls(server).at(-2)).toBe('list rv=102');
  });

  it('requests the newest state if the server has not reached the requested version', async () => {
    const { server, clock, start, events } = setUp({ useWatchList: false });
    server.put(Thing, thing('a'));
    await start();
    await clock.advance(5_000);
    // After a restore from a backup, the server's history and version are behind.
    server.interrupt = ({ verb }) => {
      if (verb === 'watch') throw failure(410, 'Expired', 'too old');
      return undefined;
    };
    server.revision = 50;
    server.cutWatches();
    await clock.advance(1);
    await eventually(() => calls(server).includes('list rv=101'));
    await clock.advance(5_000);
    server.interrupt = undefined;
    await clock.advance(60_000);
    await eventually(() => calls(server).filter((call) => call.startsWith('watch')).length >= 3);
    expect(calls(server)).toContain('list rv=');
    expect(events).toEqual(['create a initial']);
  });

  it.each([
    [
      '429 with Retry-After',
      () =>
        json(429, failure(429, 'TooManyRequests', 'slow down', { retryAfterSeconds: 40 }).status, {
          'retry-after': '40',
        }),
      35_000,
    ],
    ['500', () => json(500, failure(500, 'InternalError', 'no').status), 0],
    ['an ERROR event of 410', () => stream(line('ERROR', failure(410, 'Expired', 'old').status)), 0],
    ['an ERROR event of 429', () => stream(line('ERROR', failure(429, 'TooManyRequests', 'wait').status)), 0],
    ['a reset in the middle of a line', () => stream(Buffer.from('{"type":"ADDED","obj'), new Error('ECONNRESET')), 0],
    ['a line that is not JSON', () => stream(Buffer.from('<html>\n')), 0],
    ['a response that ends immediately', () => stream(), 0],
  ])('recovers after %s', async (_name, answer, quietMs) => {
    const { server, clock, start, events } = setUp({ useWatchList: false });
    server.put(Thing, thing('a'));
    await start();
    let failed = 0;
    server.interrupt = ({ verb }) => (verb === 'watch' && failed++ === 0 ? answer() : undefined);
    await clock.advance(5_000);
    server.cutWatches();
    await eventually(() => failed === 1);
    server.put(Thing, thing('b'));
    if (quietMs > 0) {
      await clock.advance(quietMs);
      expect(failed).toBe(1);
    }
    await clock.advance(60_000);
    await eventually(() => events.includes('create b'));
  });

  it('survives 503 on the list, with increasing delays', async () => {
    const { server, clock, informer } = setUp({ useWatchList: false });
    const times: number[] = [];
    server.interrupt = () => {
      times.push(clock.monotonic());
      if (times.length <= 6) throw failure(503, 'ServiceUnavailable', 'starting');
      return undefined;
    };
    const stop = new AbortController();
    stops.push(stop);
    void informer.run(stop.signal);
    for (let i = 0; i < 200 && !informer.hasSynced; i++) await clock.advance(1_000);
    expect(informer.hasSynced).toBe(true);
    const pauses = times.slice(1, 7).map((time, i) => time - (times[i] ?? 0));
    expect(pauses[0]).toBeGreaterThanOrEqual(800);
    expect(pauses[4]).toBeGreaterThan((pauses[0] ?? 0) * 4);
  });

  it('replaces a silent watch, but keeps a quiet watch with bookmarks', async () => {
    const { server, clock, start, events } = setUp({ useWatchList: false });
    server.put(Thing, thing('a'));
    await start();
    for (let minute = 0; minute < 9; minute++) {
      await clock.advance(60_000);
      server.bookmark();
      await clock.advance(1);
    }
    expect(calls(server)).toHaveLength(2);
    let hung = 0;
    server.interrupt = ({ verb }) => (verb === 'watch' && hung++ === 0 ? stream('hang') : undefined);
    server.cutWatches();
    await eventually(() => hung === 1);
    server.put(Thing, thing('b'));
    await clock.advance(151_000);
    await eventually(() => events.includes('create b'));
    // The bookmarks advanced the version, so nothing is relisted.
    expect(calls(server).filter((call) => call.startsWith('list'))).toHaveLength(1);
    expect(calls(server).at(-1)).toBe('watch rv=110');
  });

  it('falls back to lists if the streamed state never ends', async () => {
    const { server, clock, informer, names } = setUp();
    server.put(Thing, thing('a'));
    server.interrupt = ({ url }) =>
      url.searchParams.get('sendInitialEvents') ? stream(line('ADDED', server.get(Thing, 'a')), 'hang') : undefined;
    const stop = new AbortController();
    stops.push(stop);
    void informer.run(stop.signal);
    for (let i = 0; i < 60 && !informer.hasSynced; i++) await clock.advance(1_000);
    expect(informer.hasSynced).toBe(true);
    expect(names()).toEqual(['a']);
  });

  it('keeps streaming from a server that asks to wait', async () => {
    const { server, clock, informer } = setUp();
    let asked = 0;
    let answer: () => void = () => {};
    // Simulates a client that waits for a Retry-After of twenty seconds.
    server.interrupt = ({ url }) =>
      url.searchParams.get('sendInitialEvents') && asked++ === 0
        ? new Promise<undefined>((resolve) => {
            answer = () => resolve(undefined);
          })
        : undefined;
    const stop = new AbortController();
    stops.push(stop);
    void informer.run(stop.signal);
    await clock.advance(20_000);
    answer();
    await eventually(() => informer.hasSynced);
    expect(calls(server)).toEqual(['watch initial rv=']);
  });

  it('handles values with line separators, events cut anywhere, and handlers that throw', async () => {
    const { server, clock, informer, start, events } = setUp({ useWatchList: false });
    await start();
    let threw = 0;
    informer.subscribe(() => {
      threw++;
      throw new Error('handler');
    });
    const object = (name: string, rv: number): unknown => ({
      metadata: { name, namespace: 'default', uid: name, resourceVersion: String(rv) },
      spec: { value: '\u2028\u2029\n"}]\\' },
    });
    const bytes = Buffer.concat([
      line('ADDED', object('x', 201)),
      line('MODIFIED', object('x', 202)),
      line('UNKNOWN', {}),
      line('ADDED', object('y', 203)),
      line('DELETED', object('x', 204)),
    ]);
    let served = 0;
    await clock.advance(5_000);
    server.interrupt = ({ verb }) =>
      verb === 'watch' && served++ === 0 ? stream(...[...bytes].map((byte) => Buffer.from([byte])), 'hang') : undefined;
    server.cutWatches();
    await eventually(() => events.length >= 4);
    expect(events).toEqual(['create x', 'update x', 'create y', 'delete x']);
    expect(threw).toBe(4);
    expect(informer.lister.get({ namespace: 'default', name: 'y' })?.spec?.value).toBe('\u2028\u2029\n"}]\\');
  });

  it('delivers all existing objects to a late subscriber', async () => {
    const { server, informer, start } = setUp();
    server.put(Thing, thing('a'));
    await start();
    const late: string[] = [];
    const subscription = informer.subscribe((event) => late.push(`${event.type} ${event.object.name}`));
    server.put(Thing, thing('b'));
    await eventually(() => late.length === 2);
    expect(late).toEqual(['create a', 'create b']);
    subscription[Symbol.dispose]();
    server.put(Thing, thing('c'));
    await eventually(() => informer.lister.size === 3);
    expect(late).toHaveLength(2);
  });
});
