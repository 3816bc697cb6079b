import { seededRandom, VirtualClock } from '@kubewright/apimachinery';
import { afterEach, describe, expect, it } from 'vitest';
import { controller } from '../controller/definition/define-controller.ts';
import { defineKind } from '../kind/define-kind.ts';
import { silentLogger } from '../log/silent-logger.ts';
import { Manager } from '../manager/manager.ts';
import { eventually } from '../testdata/eventually.ts';
import { FakeApiServer, failure } from '../testdata/fake-api-server.ts';
import { cached } from './cached-kind.ts';
import { InformerCache } from './informer-cache.ts';

const Site = defineKind<object>({ group: 'example.com', version: 'v1', kind: 'Site' });
const Page = defineKind<object>({ group: 'example.com', version: 'v1', kind: 'Page' });

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

/** Creates a server that forbids lists in one namespace. */
function serverWithout(namespace: string): FakeApiServer {
  const server = new FakeApiServer([Site, Page]);
  server.interrupt = ({ url }) => {
    if (url.pathname.includes(`/namespaces/${namespace}/`)) throw failure(403, 'Forbidden', 'no');
    return undefined;
  };
  return server;
}

function cacheOf(server: FakeApiServer): { readonly cache: InformerCache; readonly signal: AbortSignal } {
  const stop = new AbortController();
  ends.push(() => stop.abort());
  const parts = { clock: new VirtualClock(), random: seededRandom(1), log: silentLogger };
  const cache = new InformerCache({ client: server.client, ...parts });
  void cache.run(stop.signal);
  return { cache, signal: stop.signal };
}

/** Tracks the current state of a promise. */
function outcomeOf(promise: Promise<unknown>): { is: string } {
  const outcome = { is: 'open' };
  promise.then(
    () => {
      outcome.is = 'kept';
    },
    (error: Error) => {
      outcome.is = error.name;
    },
  );
  return outcome;
}

describe('namespaces and kinds removed from a cache', () => {
  it('no longer keep a manager from starting', async () => {
    const server = serverWithout('bad');
    server.put(Site, { metadata: { name: 'a' } });
    const seen: string[] = [];
    const sites = controller({
      for: Site,
      cached: { namespaces: ['default', 'bad'] },
      async reconcile({ metadata: { name } }) {
        seen.push(name);
      },
    });
    const { client } = server;
    const manager = new Manager({
      controllers: [sites],
      client,
      log: silentLogger,
      handleSignals: false,
      watchdog: false,
    });
    ends.push(() => manager[Symbol.asyncDispose]());
    manager.run().catch(() => {});
    await eventually(() => server.requests.some((request) => request.includes('/namespaces/bad/')));
    expect(seen).toEqual([]);
    await manager.cache.setNamespaces(Site, { namespaces: ['default'] });
    await eventually(() => seen.includes('a'));
    await manager.started();
  });

  it('are no longer waited for, unlike their replacements', async () => {
    const server = serverWithout('bad');
    let isOpen = false;
    const refuse = server.interrupt;
    server.interrupt = (call) => {
      if (call.url.pathname.includes('/namespaces/late/') && !isOpen) throw failure(403, 'Forbidden', 'not yet');
      return refuse?.(call);
    };
    const clock = new VirtualClock();
    const stop = new AbortController();
    ends.push(() => stop.abort());
    const cache = new InformerCache({ client: server.client, clock, random: seededRandom(1), log: silentLogger });
    const declared = cache.declare(cached(Site, { namespaces: ['default', 'bad'] }));
    void cache.run(stop.signal);
    const outcome = outcomeOf(declared.waitForSync(stop.signal));
    await cache.setNamespaces(Site, { namespaces: ['default', 'late'] });
    await clock.advance(10_000);
    expect(outcome.is).toBe('open');
    isOpen = true;
    await eventually(() => {
      void clock.advance(1_000);
      return outcome.is === 'kept';
    });
    expect(cache.informers.every(({ hasSynced }) => hasSynced)).toBe(true);
  });

  it('release all waiters of a removed kind and reject its add', async () => {
    const server = serverWithout('bad');
    const { cache, signal } = cacheOf(server);
    const added = outcomeOf(cache.add(cached(Page, { namespaces: ['bad'] }), { signal }));
    const all = outcomeOf(cache.waitForSync(signal));
    await cache.remove(Page);
    await eventually(() => added.is !== 'open' && all.is !== 'open');
    expect([added.is, all.is]).toEqual(['KindNotCachedError', 'kept']);
  });

  it('do not keep an aborted wait from failing', async () => {
    const server = serverWithout('bad');
    const { cache } = cacheOf(server);
    const declared = cache.declare(cached(Site, { namespaces: ['bad'] }));
    const deadline = new AbortController();
    const waiting = declared.waitForSync(deadline.signal);
    deadline.abort(new Error('enough'));
    await expect(waiting).rejects.toThrow('enough');
  });
});
