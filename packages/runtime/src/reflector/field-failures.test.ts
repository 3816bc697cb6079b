import { type Kind, type KubernetesObject, seededRandom, VirtualClock } from '@kubewright/apimachinery';
import { InProcessTransport, KubernetesClient } from '@kubewright/client';
import { describe, expect, it } from 'vitest';
import { Informer } from '../cache/informer.ts';
import { ListSplitter } from '../cache/list-splitter.ts';
import { Cluster } from '../cluster/cluster.ts';
import { silentLogger } from '../log/silent-logger.ts';
import { WorkQueue } from '../workqueue/work-queue.ts';
import { LineSplitter } from './line-splitter.ts';
import { FaultyServer } from './testdata/faulty-server.ts';
import { type Flaw, naive, real, type Subject, Thing } from './testdata/subjects.ts';

// What other clients' users reported, each beside the naive way that fails it. Connections, GOAWAY on real sockets and
// expired tokens are in packages/client (http-transport.faults.test.ts, exec-credentials.test.ts).

interface Scenario {
  readonly name: string;
  readonly flaw: Flaw;
  readonly faults: (server: FaultyServer, pass: (seconds: number) => Promise<void>) => Promise<void> | void;
}

const scenarios: readonly Scenario[] = [
  { name: 'a reset in the middle of a watch', flaw: 'ends at an error', faults: (server) => server.cut('reset') },
  { name: 'GOAWAY in the middle of a watch', flaw: 'ends at an error', faults: (server) => server.cut('goaway') },
  {
    name: '500 and 429 on the watch',
    flaw: 'ends at an error',
    faults: (server) => {
      server.fail('watch', '500');
      server.fail('watch', '429');
      server.cut('end');
    },
  },
  {
    name: '503 on the list',
    flaw: 'ends at an error',
    faults: async (server, pass) => {
      for (let i = 0; i < 3; i++) server.fail('list', '503');
      server.compact();
      server.cut('error 410');
      await pass(20);
    },
  },
  {
    name: '410 in the stream, with deletions meanwhile',
    flaw: 'resumes after 410',
    faults: (server) => {
      server.cut('error 410');
      server.delete('a');
      server.compact();
    },
  },
  {
    name: 'deletions while nobody watched',
    flaw: 'resumes without a version',
    faults: (server) => {
      server.cut('end');
      server.delete('a');
    },
  },
  { name: 'a connection that is half open', flaw: 'trusts every connection', faults: (server) => server.halfOpen() },
];

async function outcome(make: (server: FaultyServer, clock: VirtualClock, seed: number) => Subject, scenario: Scenario) {
  const clock = new VirtualClock();
  const server = new FaultyServer(clock);
  const stop = new AbortController();
  for (const name of ['a', 'b']) server.put(name);
  const subject = make(server, clock, 1);
  subject.run(stop.signal);
  await clock.advance(5_000);
  await scenario.faults(server, (seconds) => clock.advance(seconds * 1_000));
  server.put('c');
  server.delete('b');
  await clock.advance(300_000);
  stop.abort();
  return { shown: [...subject.state().keys()].sort(), wanted: [...server.state.keys()].sort() };
}

describe('failures that others reported: watches', () => {
  it.each(scenarios)('$name', async (scenario) => {
    const ours = await outcome(real, scenario);
    expect(ours.shown).toEqual(ours.wanted);
    const theirs = await outcome(naive(scenario.flaw), scenario);
    expect(theirs.shown).not.toEqual(theirs.wanted);
  });

  it('a quiet watch of nine minutes: no reconnects while bookmarks come', async () => {
    const clock = new VirtualClock();
    const server = new FaultyServer(clock);
    const stop = new AbortController();
    const parts = { kind: Thing, listWatcher: server, clock, random: seededRandom(1), log: silentLogger };
    const informer = new Informer<KubernetesObject>(parts);
    void informer.run(stop.signal);
    let restarts = 0;
    let quietSeconds = 0;
    for (let second = 1; second <= 540; second++) {
      await clock.advance(1_000);
      if (second % 60 === 0) server.bookmark();
      // A timer that only events reset, as users build it around clients that keep bookmarks to themselves.
      if (++quietSeconds === 60) {
        restarts++;
        quietSeconds = 0;
      }
    }
    stop.abort();
    expect(restarts).toBe(9);
    expect([informer.gauges.watches, informer.fault]).toEqual([1, undefined]);
  });
});

function informerOf(): Informer<KubernetesObject> {
  const never = (): Promise<never> => new Promise(() => {});
  const parts = { clock: new VirtualClock(), random: seededRandom(1), log: silentLogger };
  return new Informer<KubernetesObject>({ ...parts, kind: Thing, listWatcher: { list: never, watch: never } });
}

function show(informer: Informer<KubernetesObject>, objects: readonly KubernetesObject[]): void {
  for (const object of objects) {
    const bytes = Buffer.from(JSON.stringify(object));
    informer.put(bytes, 0, bytes.length);
  }
}

const thing = (name: string, version: number, more: { uid?: string; spec?: unknown } = {}): KubernetesObject => ({
  apiVersion: 'v1',
  kind: 'Thing',
  metadata: { name, namespace: 'default', uid: more.uid ?? `u-${name}`, resourceVersion: String(version) },
  ...(more.spec !== undefined && { spec: more.spec }),
});

describe('failures that others reported: contents', () => {
  it('an object deleted and made again across a relist', () => {
    const informer = informerOf();
    const told: string[] = [];
    informer.subscribe((event) => told.push(`${event.type} ${event.object.uid}`));
    const byName = new Map<string, KubernetesObject>();
    const naively: string[] = [];
    for (const [uid, version] of [
      ['u1', 1],
      ['u2', 9],
    ] as const) {
      informer.beginListing();
      show(informer, [thing('a', version, { uid })]);
      informer.endListing(String(version));
      naively.push(`${byName.has('a') ? 'update' : 'create'} ${uid}`);
      byName.set('a', thing('a', version, { uid }));
    }
    expect(naively).toEqual(['create u1', 'update u2']);
    expect(told).toEqual(['create u1', 'delete u1', 'create u2']);
  });

  it('a handler that throws', () => {
    const naively: string[] = [];
    const handlers = [
      () => {
        throw new Error('no');
      },
      (name: string) => naively.push(name),
    ];
    expect(() => handlers.forEach((handler) => void handler('a'))).toThrow();
    const informer = informerOf();
    const told: string[] = [];
    informer.subscribe(() => {
      throw new Error('no');
    });
    informer.subscribe((event) => told.push(event.object.name));
    show(informer, [thing('a', 1), thing('b', 2)]);
    expect([naively, told]).toEqual([[], ['a', 'b']]);
  });

  it('U+2028 in a value', () => {
    const event = JSON.stringify({ type: 'ADDED', object: thing('a', 1, { spec: 'one\u2028two\u2029three\u0085' }) });
    const naively = (text: string): unknown[] =>
      text.split(/\r\n|[\n\r\u2028\u2029\u0085]/).map((part) => JSON.parse(part));
    expect(() => naively(event)).toThrow(SyntaxError);
    const lines: unknown[] = [];
    const splitter = new LineSplitter((bytes, start, end) =>
      lines.push(JSON.parse(bytes.toString('utf8', start, end))),
    );
    splitter.push(Buffer.from(`${event}\n`));
    expect(lines).toEqual([JSON.parse(event)]);
  });

  it('130,000 objects in one namespace', () => {
    const names = Array.from({ length: 130_000 }, (_, i) => `t${i}`);
    const all: string[] = [];
    expect(() => all.push(...names)).toThrow(RangeError);
    const informer = informerOf();
    informer.beginListing();
    const splitter = new ListSplitter((bytes, start, end) => void informer.put(bytes, start, end));
    splitter.push(Buffer.from('{"items":['));
    const item = (name: string, i: number): string =>
      `${i > 0 ? ',' : ''}{"metadata":{"name":"${name}","namespace":"default","uid":"${i}","resourceVersion":"${i + 1}"}}`;
    for (let at = 0; at < names.length; at += 1_000) {
      splitter.push(
        Buffer.from(
          names
            .slice(at, at + 1_000)
            .map((name, i) => item(name, at + i))
            .join(''),
        ),
      );
    }
    splitter.push(Buffer.from('],"metadata":{"resourceVersion":"200000"}}'));
    splitter.finish();
    informer.endListing('200000');
    expect(informer.lister.views({ namespace: 'default' })).toHaveLength(130_000);
  });

  it('a list that is longer than the longest string', () => {
    expect(() => Buffer.allocUnsafe(0x2000_0000).toString('latin1')).toThrow(/string longer than/);
    let items = 0;
    const splitter = new ListSplitter(() => void items++);
    splitter.push(Buffer.from('{"items":['));
    const item = `{"metadata":{"name":"a"},"data":"${'x'.repeat(1_048_500)}"}`;
    const [first, next] = [Buffer.from(item), Buffer.from(`,${item}`)];
    for (let i = 0; i < 514; i++) splitter.push(i === 0 ? first : next);
    splitter.push(Buffer.from('],"metadata":{"resourceVersion":"7"}}'));
    expect(splitter.finish()).toMatchObject({ metadata: { resourceVersion: '7' } });
    expect(items).toBe(514);
  });

  it('two events of one object and a slow handler', async () => {
    const clock = new VirtualClock();
    const events = [thing('a', 1, { spec: 'old' }), thing('a', 2, { spec: 'new' })];
    const slowFor = (i: number): Promise<void> =>
      new Promise((resolve) => clock.setTimer(i === 0 ? 1_000 : 10, () => resolve()));
    const naively: unknown[] = [];
    events.forEach((event, i) => void slowFor(i).then(() => naively.push((event as { spec?: unknown }).spec)));
    const informer = informerOf();
    const queue = new WorkQueue({ clock });
    informer.subscribe((event) => queue.add(event.object.name));
    const done: unknown[] = [];
    const work = async (): Promise<void> => {
      for (let i = 0; ; i++) {
        const item = await queue.get();
        if (!item) return;
        await slowFor(i);
        done.push(
          (informer.lister.get({ namespace: 'default', name: item.key }) as { spec?: unknown } | undefined)?.spec,
        );
        queue.done(item.key);
      }
    };
    void work();
    show(informer, events.slice(0, 1));
    await clock.advance(1);
    show(informer, events.slice(1));
    await clock.advance(5_000);
    expect(naively.at(-1)).toBe('old');
    expect(done.at(-1)).toBe('new');
    void queue.shutDown();
  });

  it('fields that the program does not know', () => {
    const object = thing('a', 1, { spec: { known: 1, unknown: { deep: [1] } } });
    const typed = ({ spec }: { spec?: { known?: number } }): unknown => ({ spec: { known: spec?.known } });
    expect(typed(object as never)).not.toMatchObject({ spec: { unknown: {} } });
    const informer = informerOf();
    show(informer, [object]);
    expect(informer.lister.get({ namespace: 'default', name: 'a' })).toEqual(object);
  });
});

describe('failures that others reported: start', () => {
  it('a client, a cache and a cluster that need a server to be made', () => {
    let requests = 0;
    const handle = (): Promise<never> => {
      requests++;
      throw new Error('unreachable');
    };
    const naively = (): unknown => handle();
    expect(naively).toThrow('unreachable');
    requests = 0;
    const client = new KubernetesClient({ transport: new InProcessTransport({ handle, connection: undefined }) });
    const kind: Kind<KubernetesObject> = Thing;
    const cluster = new Cluster({ name: 'far', client, caches: [kind], clock: new VirtualClock(), log: silentLogger });
    expect([cluster.cache.has(kind), requests]).toEqual([true, 0]);
  });
});
