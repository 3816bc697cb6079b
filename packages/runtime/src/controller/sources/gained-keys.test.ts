import { type KubernetesObject, seededRandom, VirtualClock } from '@kubewright/apimachinery';
import { afterEach, describe, expect, it } from 'vitest';
import { InformerCache } from '../../cache/informer-cache.ts';
import { enqueueMapped } from '../../handler/enqueue.ts';
import type { ReconcileRequest } from '../../handler/event-handler.ts';
import { defineKind } from '../../kind/define-kind.ts';
import { silentLogger } from '../../log/silent-logger.ts';
import { Manager } from '../../manager/manager.ts';
import { labelsMatch } from '../../predicate/predicates.ts';
import { sharded } from '../../sharding/sharded.ts';
import { watch } from '../../source/source.ts';
import { eventually } from '../../testdata/eventually.ts';
import { FakeApiServer } from '../../testdata/fake-api-server.ts';
import { WorkQueue } from '../../workqueue/work-queue.ts';
import type { ControllerDefinition } from '../definition/controller-definition.ts';
import { controller } from '../definition/define-controller.ts';
import type { KeyShare, Partition } from '../definition/partition.ts';
import { AwaitedEnds } from './awaited-ends.ts';
import { ControllerSources } from './controller-sources.ts';
import { EventLoopTurn } from './event-loop-turn.ts';

const Site = defineKind<object>({ group: 'example.com', version: 'v1', kind: 'Site' });
const Page = defineKind<object>({ group: 'example.com', version: 'v1', kind: 'Page' });

/** A partition with keys chosen by the test. */
class ChosenKeys implements Partition {
  #mine: ReadonlySet<string> = new Set();
  readonly #handlers = new Set<(share: KeyShare) => void>();

  owns({ name }: ReconcileRequest): boolean {
    return this.#mine.has(name);
  }

  enter(request: ReconcileRequest) {
    const isOwned = (): boolean => this.owns(request);
    return {
      get isOwned() {
        return isOwned();
      },
      [Symbol.dispose]() {},
    };
  }

  subscribe(handler: (share: KeyShare) => void): Disposable {
    this.#handlers.add(handler);
    return { [Symbol.dispose]: () => void this.#handlers.delete(handler) };
  }

  /** Assigns exactly these keys to this replica. */
  give(...names: readonly string[]): void {
    this.lapse(...names);
    const given = this.#mine;
    for (const handler of this.#handlers) handler(({ name }) => given.has(name));
  }

  /** Assigns keys without a notification, as the clock does. */
  lapse(...names: readonly string[]): void {
    this.#mine = new Set(names);
  }
}

const running: Manager[] = [];
afterEach(async () => {
  for (const manager of running.splice(0)) await manager[Symbol.asyncDispose]();
});

async function run(server: FakeApiServer, ...controllers: readonly ControllerDefinition[]): Promise<void> {
  const { client } = server;
  const manager = new Manager({ controllers, client, log: silentLogger, handleSignals: false, watchdog: false });
  running.push(manager);
  manager.run().catch(() => {});
  await manager.started();
}

/** Waits several turns of the event loop, including the promises in between. */
async function turns(): Promise<void> {
  let left = 50;
  await eventually(() => left-- === 0);
}

function setUp() {
  const server = new FakeApiServer([Site, Page]);
  const keys = new ChosenKeys();
  const seen: string[] = [];
  const reconcile = async ({ metadata: { name = '' } }: KubernetesObject): Promise<void> => {
    seen.push(name);
  };
  /** Returns the names reconciled since the last call, sorted. */
  const news = async (): Promise<readonly string[]> => {
    await turns();
    return seen.splice(0).sort();
  };
  const put = (name: string, labels = {}): void => void server.put(Site, { metadata: { name, labels } });
  return { server, keys, seen, reconcile, news, put };
}

describe('gained keys', () => {
  it("must pass the controller's filters and declaration", async () => {
    const { server, keys, reconcile, news, put } = setUp();
    put('mine', { class: 'mine' });
    put('dull', { class: 'mine', dull: 'yes' });
    put('theirs', { class: 'theirs' });
    const cached = { labelSelector: 'class=mine' };
    const predicates = [labelsMatch('dull!=yes')];
    const shared = sharded(controller({ for: Site, name: 'shared', cached, predicates, reconcile }), keys);
    // The cache also contains objects that only this wider declaration selects.
    await run(server, shared, controller({ for: Site, name: 'wide', async reconcile() {} }));
    expect(await news()).toEqual([]);
    keys.give('mine', 'dull', 'theirs');
    expect(await news()).toEqual(['mine']);
  });

  it('are found through other watches too, as at startup', async () => {
    const { server, keys, reconcile, news, put } = setUp();
    put('a');
    server.put(Page, { metadata: { name: 'a' } });
    const pages = watch(
      Page,
      enqueueMapped(({ key }) => [key]),
    );
    await run(server, sharded(controller({ for: Site, predicates: [() => false], watches: [pages], reconcile }), keys));
    keys.give('a');
    expect(await news()).toEqual(['a']);
  });

  it('are queued, but keys the replica owned all along are not', async () => {
    const { server, keys, reconcile, news, put } = setUp();
    for (const name of ['a', 'b', 'c']) put(name);
    keys.give('a');
    await run(server, sharded(controller({ for: Site, reconcile }), keys));
    expect(await news()).toEqual(['a']);
    keys.give('a', 'b');
    expect(await news()).toEqual(['b']);
    keys.give('a', 'b');
    expect(await news()).toEqual([]);
    keys.give('b', 'c');
    expect(await news()).toEqual(['c']);
    keys.give('a', 'b', 'c');
    expect(await news()).toEqual(['a']);
  });

  it('are queued even if another replica owned them only for a moment', async () => {
    const { server, keys, reconcile, news, put } = setUp();
    for (const name of ['a', 'b']) put(name);
    keys.give('a', 'b');
    await run(server, sharded(controller({ for: Site, reconcile }), keys));
    expect(await news()).toEqual(['a', 'b']);
    // Both changes are synchronous, so no walk observes the loss.
    keys.give('b');
    keys.give('a', 'b');
    expect(await news()).toEqual(['a']);
  });

  it('are queued even if an event was dropped in the meantime', async () => {
    const { server, keys, reconcile, news, put } = setUp();
    put('a');
    keys.give('a');
    await run(server, sharded(controller({ for: Site, reconcile }), keys));
    expect(await news()).toEqual(['a']);
    keys.lapse();
    put('a', { changed: 'yes' });
    expect(await news()).toEqual([]);
    keys.give('a');
    expect(await news()).toEqual(['a']);
  });

  it('are queued even if a write was rejected in the meantime and the reconcile hid the rejection', async () => {
    const { server, keys, seen, news, put } = setUp();
    put('a');
    keys.give('a');
    const sites = controller({
      for: Site,
      async reconcile({ metadata: { name } }, ctx) {
        if (seen.length === 0) keys.lapse();
        seen.push(name);
        const page = { apiVersion: 'example.com/v1', kind: 'Page', metadata: { name } };
        await ctx.apply(page, { ownership: 'none' }).catch(() => {});
      },
    });
    await run(server, sharded(sites, keys));
    await eventually(() => seen.length === 1);
    await turns();
    expect(server.list(Page)).toEqual([]);
    keys.give('a');
    await eventually(() => server.list(Page).length === 1);
    expect(await news()).toEqual(['a', 'a']);
  });

  it('are visited in slices that yield to other work', async () => {
    const base = new VirtualClock();
    const server = new FakeApiServer([Site], { clock: base });
    const count = 200;
    for (let at = 0; at < count; at++) server.put(Site, { metadata: { name: `site-${at}` } });
    const parts = { clock: base, random: seededRandom(1), log: silentLogger };
    const cache = new InformerCache({ client: server.client, ...parts });
    const queue = new WorkQueue({ clock: base });
    let looks = 0;
    // Every read of this clock takes a millisecond.
    const slow = { now: () => base.now(), monotonic: () => looks++, setTimer: base.setTimer.bind(base) };
    const keys = new ChosenKeys();
    const definition = sharded(controller({ for: Site, async reconcile() {} }), keys);
    const turn = new EventLoopTurn(slow);
    const awaited = new AwaitedEnds();
    const sources = new ControllerSources({ ...parts, definition, cache, queue, turn, awaited, onRequested: () => {} });
    const stop = new AbortController();
    void cache.run(stop.signal);
    const watched = definition.watches.map((watch) => ({ watch, declared: cache.declare(watch.cached) }));
    await sources.start(stop.signal, watched);
    for (let at = 0; at < count; at++) queue.done((await queue.get())?.key ?? '');
    keys.give(...Array.from({ length: count }, (_, at) => `site-${at}`));
    const sizes = new Set<number>();
    await eventually(() => sizes.add(queue.length).has(count));
    expect(sizes.size).toBeGreaterThan(count / 20);
    sources.stop(undefined);
    stop.abort();
  });
});
