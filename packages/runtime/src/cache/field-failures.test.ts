import { type Kind, type KubernetesObject, seededRandom, VirtualClock } from '@kubewright/apimachinery';
import { defined } from '@kubewright/apimachinery/internal';
import { InProcessTransport, KubernetesClient } from '@kubewright/client';
import { LineSplitter } from '@kubewright/client/internal';
import { describe, expect, it } from 'vitest';
import { Cluster } from '../cluster/cluster.ts';
import { silentLogger } from '../log/silent-logger.ts';
import { Thing } from '../reflector/testdata/subjects.ts';
import { ListSplitter } from '../scan/list-splitter.ts';
import { FakeApiServer } from '../testdata/fake-api-server.ts';
import { WorkQueue } from '../workqueue/work-queue.ts';
import { Informer } from './informer.ts';
import { InformerCache } from './informer-cache.ts';
import { SplitReads } from './split-reads.ts';

// Cache bugs reported by users of other clients, each next to a naive implementation that has the bug. For watch bugs, see
// ../reflector.

function informerOf(): Informer<KubernetesObject> {
  const never = (): Promise<never> => new Promise(() => {});
  const parts = { clock: new VirtualClock(), random: seededRandom(1), log: silentLogger };
  return new Informer<KubernetesObject>({ ...parts, kind: Thing, listWatcher: { list: never, watch: never } });
}

function show(informer: Informer<KubernetesObject>, objects: readonly KubernetesObject[]): void {
  for (const object of objects) {
    const bytes = Buffer.from(JSON.stringify(object));
    informer.sink.put(bytes, 0, bytes.length);
  }
}

const thing = (name: string, version: number, more: { uid?: string; spec?: unknown } = {}): KubernetesObject => ({
  apiVersion: 'v1',
  kind: 'Thing',
  metadata: { name, namespace: 'default', uid: more.uid ?? `u-${name}`, resourceVersion: String(version) },
  ...defined({ spec: more.spec }),
});

describe('bugs reported in other clients: contents', () => {
  it('an object deleted and recreated across a relist', () => {
    const informer = informerOf();
    const seen: string[] = [];
    informer.subscribe((event) => seen.push(`${event.type} ${event.object.uid}`));
    const byName = new Map<string, KubernetesObject>();
    const naively: string[] = [];
    for (const [uid, version] of [
      ['u1', 1],
      ['u2', 9],
    ] as const) {
      informer.sink.beginListing();
      show(informer, [thing('a', version, { uid })]);
      informer.sink.endListing(String(version));
      naively.push(`${byName.has('a') ? 'update' : 'create'} ${uid}`);
      byName.set('a', thing('a', version, { uid }));
    }
    expect(naively).toEqual(['create u1', 'update u2']);
    expect(seen).toEqual(['create u1', 'delete u1', 'create u2']);
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
    const seen: string[] = [];
    informer.subscribe(() => {
      throw new Error('no');
    });
    informer.subscribe((event) => seen.push(event.object.name));
    show(informer, [thing('a', 1), thing('b', 2)]);
    expect([naively, seen]).toEqual([[], ['a', 'b']]);
  });

  it('U+2028 in a value', () => {
    const event = JSON.stringify({ type: 'ADDED', object: thing('a', 1, { spec: 'one\u2028two\u2029three\u0085' }) });
    const naively = (text: string): unknown[] =>
      text.split(/\r\n|[\n\r\u2028\u2029\u0085]/).map((part) => JSON.parse(part));
    expect(() => naively(event)).toThrow(SyntaxError);
    const lines: unknown[] = [];
    const splitter = new LineSplitter({
      onLine: (bytes, start, end) => lines.push(JSON.parse(bytes.toString('utf8', start, end))),
      tooLong: () => new Error('too long'),
    });
    splitter.push(Buffer.from(`${event}\n`));
    expect(lines).toEqual([JSON.parse(event)]);
  });

  it('130,000 objects in one namespace', () => {
    const names = Array.from({ length: 130_000 }, (_, i) => `t${i}`);
    const all: string[] = [];
    expect(() => all.push(...names)).toThrow(RangeError);
    const informer = informerOf();
    informer.sink.beginListing();
    const splitter = new ListSplitter((bytes, start, end) => void informer.sink.put(bytes, start, end));
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
    informer.sink.endListing('200000');
    expect(informer.lister.views({ namespace: 'default' })).toHaveLength(130_000);
  });

  it('a list longer than the longest string', () => {
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

  it('fields unknown to the program', () => {
    const object = thing('a', 1, { spec: { known: 1, unknown: { deep: [1] } } });
    const typed = ({ spec }: { spec?: { known?: number } }): unknown => ({ spec: { known: spec?.known } });
    expect(typed(object as never)).not.toMatchObject({ spec: { unknown: {} } });
    const informer = informerOf();
    show(informer, [object]);
    expect(informer.lister.get({ namespace: 'default', name: 'a' })).toEqual(object);
  });
});

describe('bugs reported in other clients: start', () => {
  it('a client, a cache and a cluster that need a server to be constructed', () => {
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

describe('bugs reported in other clients: caches', () => {
  const parts = { random: seededRandom(1), log: silentLogger };

  it('a read that starts a watch of every object', async () => {
    const clock = new VirtualClock();
    const server = new FakeApiServer([Thing], { clock });
    const stop = new AbortController();
    const cache = new InformerCache({ client: server.client, clock, ...parts });
    const reads = new SplitReads({ cache, client: server.client });
    void cache.run(stop.signal);
    const watches = (): number => server.requests.filter((request) => request.startsWith('watch')).length;
    await reads.get(Thing, { namespace: 'default', name: 'a' });
    await reads.list(Thing);
    expect(watches()).toBe(0);
    const naively = async (): Promise<unknown> => {
      await cache.add({ kind: Thing }, { signal: stop.signal });
      return cache.lister(Thing).get({ namespace: 'default', name: 'a' });
    };
    await naively();
    expect(watches()).toBe(1);
    stop.abort();
  });

  it('a CRD that is installed long after startup', async () => {
    const clock = new VirtualClock();
    const server = new FakeApiServer([Thing], { clock });
    const stop = new AbortController();
    server.missing.add(Thing.plural);
    const cache = new InformerCache({ client: server.client, clock, ...parts });
    cache.declare({ kind: Thing });
    void cache.run(stop.signal);
    // Exits after two minutes, controller-runtime's default.
    const deadline = new AbortController();
    clock.setTimer(120_000, () => deadline.abort(new Error('timed out waiting for cache to be synced')));
    const naively = cache.waitForSync(deadline.signal).catch((error: Error) => error.message);
    await clock.advance(3_600_000);
    expect(await naively).toMatch(/timed out/);
    server.missing.clear();
    server.put(Thing, { metadata: { name: 'a' } });
    await clock.advance(2_000);
    expect(cache.lister(Thing).size).toBe(1);
    stop.abort();
  });
});
