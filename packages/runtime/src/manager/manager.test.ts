import { isDeleting, type ObjectOf, VirtualClock } from '@kubewright/apimachinery';
import { afterEach, describe, expect, it } from 'vitest';
import { cached } from '../cache/cached-kind.ts';
import { controller, requestController } from '../controller/definition/define-controller.ts';
import { defineKind } from '../kind/define-kind.ts';
import { jsonLogger } from '../log/json-logger.ts';
import type { Logger } from '../log/logger.ts';
import { silentLogger } from '../log/silent-logger.ts';
import { TerminalError } from '../reconcile/terminal-error.ts';
import { eventually } from '../testdata/eventually.ts';
import { FakeApiServer, failure } from '../testdata/fake-api-server.ts';
import { Manager } from './manager.ts';
import type { ManagerOptions } from './manager-options.ts';

interface SiteStatus {
  readonly ready?: boolean;
  readonly count?: number;
}
const Site = defineKind<{ readonly domain: string }, SiteStatus>({ group: 'example.com', version: 'v1', kind: 'Site' });
type Site = ObjectOf<typeof Site>;
const Page = defineKind<{ readonly text: string }>({ group: 'example.com', version: 'v1', kind: 'Page' });
type Page = ObjectOf<typeof Page>;
const Event = { group: 'events.k8s.io', version: 'v1', kind: 'Event', plural: 'events', scope: 'Namespaced' } as const;

const running: Manager[] = [];
afterEach(async () => {
  for (const manager of running.splice(0)) await manager[Symbol.asyncDispose]();
});

function start(server: FakeApiServer, options: ManagerOptions): { manager: Manager; done: Promise<void> } {
  const manager = new Manager({
    client: server.client,
    log: silentLogger,
    handleSignals: false,
    watchdog: false,
    gracefulShutdownTimeoutMs: 5_000,
    ...options,
  });
  running.push(manager);
  const done = manager.run();
  done.catch(() => {});
  return { manager, done };
}

function site(name: string, domain = 'example.org'): Omit<Site, 'apiVersion' | 'kind'> {
  return { metadata: { name }, spec: { domain } };
}

function pageOf(owner: Site): Page {
  return {
    apiVersion: 'example.com/v1',
    kind: 'Page',
    metadata: { name: owner.metadata.name ?? '' },
    spec: { text: owner.spec.domain },
  };
}

function collectLog(): { log: Logger; lines: Record<string, unknown>[] } {
  const lines: Record<string, unknown>[] = [];
  return {
    lines,
    log: jsonLogger({ level: 'debug', destination: { write: (text) => void lines.push(JSON.parse(text)) } }),
  };
}

/** Waits until no request has been sent for many turns of the event loop. */
async function quiet(server: FakeApiServer): Promise<void> {
  let last = 0;
  let turns = 0;
  await eventually(() => {
    turns = server.requests.length === last ? turns + 1 : 0;
    last = server.requests.length;
    return turns > 200;
  });
}

describe('Manager', () => {
  it('returns a recorder for code outside reconciles', async () => {
    const server = new FakeApiServer([Site, Event]);
    server.put(Site, site('a'));
    const { manager } = start(server, { controllers: [] });
    await manager.started();
    const regarding = server.get(Site, 'a');
    manager.recorder('domains').record({ reason: 'Expired', note: 'the domain has expired', regarding });
    manager.recorder('domains', regarding).record({ reason: 'Renewed', note: 'the domain is renewed' });
    await eventually(() => server.list(Event).length === 2);
    const reporter = { reportingController: 'domains', regarding: { kind: 'Site', name: 'a' } };
    expect(server.list(Event)).toMatchObject([
      { reason: 'Expired', ...reporter },
      { reason: 'Renewed', ...reporter },
    ]);
  });

  it('creates children and status with owner references, then goes quiet', async () => {
    const server = new FakeApiServer([Site, Page, Event]);
    server.put(Site, site('a'));
    let reconciles = 0;
    const sites = controller({
      for: Site,
      owns: [Page],
      async reconcile(object, ctx) {
        reconciles++;
        expect(Object.isFrozen(object.spec)).toBe(true);
        const [page] = await ctx.apply([pageOf(object)]);
        await ctx.setStatus({ ready: page.spec.text === object.spec.domain });
        ctx.events.record({ reason: 'Rendered', note: 'page rendered' });
      },
    });
    const { manager } = start(server, { controllers: [sites] });
    await manager.started();
    await eventually(() => server.get(Site, 'a').status?.ready === true);
    const page = server.get(Page, 'a');
    expect(page.metadata.ownerReferences).toEqual([
      {
        apiVersion: 'example.com/v1',
        kind: 'Site',
        name: 'a',
        uid: server.get(Site, 'a').metadata.uid,
        controller: true,
        blockOwnerDeletion: true,
      },
    ]);
    await eventually(() => server.list(Event).length === 1);
    await eventually(() => reconciles >= 2);
    await quiet(server);
    const count = reconciles;
    const patches = (): number => server.requests.filter((request) => /^PATCH .*\/pages\//.test(request)).length;
    const before = patches();
    // A change to the child by another client is corrected, and no more requests are sent once the state matches.
    server.put(Page, { ...server.get(Page, 'a'), spec: { text: 'wrong' } });
    await eventually(() => server.get(Page, 'a').spec.text === 'example.org');
    await quiet(server);
    expect(patches() - before).toBe(1);
    // Expect one reconcile for the wrong text, and at most one for each of the two writes that correct the text.
    expect(reconciles - count).toBeLessThanOrEqual(3);
    server.delete(Page, 'a');
    await eventually(() => server.get(Page, 'a') !== undefined);
  });

  it('adds finalizers first and removes each when its step has succeeded', async () => {
    const server = new FakeApiServer([Site, Page]);
    const order: string[] = [];
    let attempts = 0;
    const sites = controller({
      for: Site,
      finalizers: {
        'example.com/first': async (object) => {
          order.push('first');
          expect(isDeleting(object)).toBe(true);
          if (++attempts < 3) throw new Error('not yet');
        },
        'example.com/second': async () => {
          order.push('second');
          return attempts++ < 4 ? { requeueAfterMs: 1 } : undefined;
        },
      },
      async reconcile(object) {
        order.push(`reconcile ${object.metadata.finalizers?.length}`);
      },
    });
    start(server, { controllers: [sites] });
    server.put(Site, site('a'));
    await eventually(() => order.includes('reconcile 2'));
    expect(order[0]).toBe('reconcile 2');
    server.delete(Site, 'a');
    await eventually(() => server.get(Site, 'a') === undefined);
    const steps = order.filter((each) => !each.startsWith('reconcile'));
    expect(steps).toEqual(['first', 'first', 'first', 'second', 'second']);
  });

  it('reads its own writes before the watch shows them', async () => {
    const server = new FakeApiServer([Site, Page]);
    server.put(Site, site('a'));
    const seen: (string | undefined)[] = [];
    const sites = controller({
      for: Site,
      caches: [Page],
      async reconcile(object, ctx) {
        if (seen.length > 0) return;
        await ctx.apply(pageOf(object), { ownership: 'none' });
        seen.push((await ctx.get(Page, { namespace: 'default', name: 'a' }))?.spec.text);
        seen.push(String((await ctx.list(Page)).length));
        await ctx.delete(server.get(Page, 'a'));
        seen.push((await ctx.get(Page, { namespace: 'default', name: 'a' }))?.spec.text);
        seen.push(String((await ctx.list(Page)).length));
      },
    });
    start(server, { controllers: [sites] });
    await eventually(() => seen.length === 4);
    expect(seen).toEqual(['example.org', '1', undefined, '0']);
  });

  it('does not retry a terminal error that is the cause of another, or joined with others', async () => {
    const clock = new VirtualClock();
    const server = new FakeApiServer([Site], { clock });
    for (const name of ['caused', 'joined', 'moved']) server.put(Site, site(name));
    const { log, lines } = collectLog();
    const runs: string[] = [];
    const hopeless = new Error('inner', { cause: new TerminalError('never') });
    const sites = controller({
      for: Site,
      async reconcile({ metadata: { name } }) {
        runs.push(name);
        if (name === 'caused') throw new Error('cannot plan', { cause: hopeless });
        if (name === 'joined') throw new AggregateError([new Error('other'), hopeless], 'several');
        const circle = new Error('circle');
        circle.cause = circle;
        if (runs.filter((each) => each === name).length === 1) throw circle;
      },
    });
    start(server, { controllers: [sites], clock, log });
    await eventually(() => {
      void clock.advance(100);
      return runs.length === 4;
    });
    await clock.advance(10_000);
    expect(runs.sort()).toEqual(['caused', 'joined', 'moved', 'moved']);
    const failures = lines.filter(({ msg }) => String(msg).includes('not retried')).map(({ error }) => error);
    expect(failures.sort()).toEqual([expect.stringMatching('^cannot plan'), expect.stringMatching('^several')]);
  });

  it('keeps and reports a failed key if the rate limiter throws', async () => {
    const clock = new VirtualClock();
    const server = new FakeApiServer([Site], { clock });
    server.put(Site, site('a'));
    const { log, lines } = collectLog();
    const broken = (): never => {
      throw new Error('broken limiter');
    };
    let runs = 0;
    const sites = controller({
      for: Site,
      rateLimiter: { when: broken, forget: broken, failures: () => 0 },
      async reconcile() {
        if (++runs < 3) throw new Error('flaky');
        return runs === 3 ? { requeueAfterMs: 5_000 } : undefined;
      },
    });
    start(server, { controllers: [sites], clock, log });
    await eventually(() => {
      void clock.advance(500);
      return runs === 4;
    });
    const events = lines.map(({ event }) => event);
    expect(events.filter((each) => each === 'reconcile.failed')).toHaveLength(2);
    expect(events.filter((each) => each === 'rate-limiter.failed')).toHaveLength(4);
  });

  it('retries failures with backoff, logs them with the key, and does not retry terminal errors', async () => {
    const clock = new VirtualClock();
    const server = new FakeApiServer([Site, Page], { clock });
    server.put(Site, site('flaky'));
    server.put(Site, site('hopeless'));
    server.put(Site, site('thrower'));
    const { log, lines } = collectLog();
    const runs: string[] = [];
    const sites = controller({
      for: Site,
      reconcile(object) {
        runs.push(object.metadata.name);
        if (object.metadata.name === 'hopeless') return Promise.reject(new TerminalError('never'));
        if (object.metadata.name === 'thrower' && runs.filter((each) => each === 'thrower').length < 2)
          throw new Error('sync');
        if (object.metadata.name === 'flaky' && runs.filter((each) => each === 'flaky').length < 4)
          throw new Error('flaky');
        return Promise.resolve();
      },
    });
    const { manager } = start(server, { controllers: [sites], clock, log });
    await manager.started();
    await eventually(() => runs.length >= 3);
    for (let i = 0; i < 12; i++) await clock.advance(10);
    await eventually(() => runs.filter((each) => each === 'flaky').length === 4);
    expect(runs.filter((each) => each === 'hopeless')).toHaveLength(1);
    expect(runs.filter((each) => each === 'thrower')).toHaveLength(2);
    const failed = lines.find((line) => line['msg'] === 'Reconciler error' && line['name'] === 'flaky');
    expect(failed).toMatchObject({
      level: 'error',
      controller: 'site',
      controllerGroup: 'example.com',
      controllerKind: 'Site',
      Site: { name: 'flaky', namespace: 'default' },
      namespace: 'default',
      error: 'flaky',
    });
    expect(failed).toHaveProperty('reconcileID');
    expect(failed).toHaveProperty('stacktrace');
    expect(failed).toHaveProperty('ts');
  });

  it('abandons a reconcile that never settles, keeps others running, and rejects its later writes', async () => {
    const clock = new VirtualClock();
    const server = new FakeApiServer([Site, Page], { clock });
    server.put(Site, site('stuck'));
    server.put(Site, site('well'));
    const runs: string[] = [];
    let late: (() => Promise<unknown>) | undefined;
    const sites = controller({
      for: Site,
      reconcileTimeoutMs: 1_000,
      async reconcile(object, ctx) {
        runs.push(object.metadata.name);
        if (object.metadata.name !== 'stuck' || late) return;
        late = () => ctx.setStatus({ ready: true });
        await new Promise(() => {});
      },
    });
    const { manager } = start(server, { controllers: [sites], clock });
    await manager.started();
    await eventually(() => late !== undefined);
    await clock.advance(12_000);
    await eventually(() => runs.includes('well') && runs.filter((each) => each === 'stuck').length === 2);
    await expect(late?.()).rejects.toThrow(/timed out after 1000 ms/);
  });

  it('waits for a kind that it is not allowed to list, and logs the wait', async () => {
    const clock = new VirtualClock();
    const server = new FakeApiServer([Site, Page], { clock });
    server.interrupt = ({ url }) => {
      if (url.pathname.endsWith('/pages')) throw failure(403, 'Forbidden', 'pages is forbidden');
      return undefined;
    };
    const { log, lines } = collectLog();
    let reconciled = 0;
    const pages = controller({ for: Page, async reconcile() {} });
    const sites = controller({
      for: Site,
      async reconcile() {
        reconciled++;
      },
    });
    const { manager } = start(server, { controllers: [pages, sites], clock, log });
    server.put(Site, site('a'));
    await eventually(() => server.requests.some((request) => request.includes('/pages')));
    await clock.advance(11_000);
    expect(
      lines.some((line) => line['event'] === 'cache.syncing' && JSON.stringify(line['kinds']) === '["Page"]'),
    ).toBe(true);
    expect(reconciled).toBe(0);
    server.interrupt = undefined;
    await clock.advance(60_000);
    await manager.started();
    await eventually(() => reconciled === 1);
  });

  it('runs request controllers, and stops in order', async () => {
    const server = new FakeApiServer([Site, Page]);
    const seen: string[] = [];
    const keys = requestController({
      name: 'keys',
      sources: [{ name: 'once', start: async (context) => context.enqueue({ name: 'k' }) }],
      async reconcile(request) {
        seen.push(request.name);
      },
    });
    const stop = new AbortController();
    const { done } = start(server, {
      controllers: [keys],
      signal: stop.signal,
      runnables: [
        {
          name: 'r',
          run: async (signal) => {
            await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
            seen.push('runnable stopped');
          },
        },
      ],
    });
    await eventually(() => seen.includes('k'));
    stop.abort();
    await done;
    expect(seen).toEqual(['k', 'runnable stopped']);
    expect(server.openWatches).toBe(0);
  });

  it('stops in time even if a runnable ignores its signal, and names the runnable', async () => {
    const clock = new VirtualClock();
    const server = new FakeApiServer([Site], { clock });
    const { log, lines } = collectLog();
    const stop = new AbortController();
    const { manager, done } = start(server, {
      clock,
      log,
      signal: stop.signal,
      runnables: [{ name: 'deaf', run: () => new Promise(() => {}) }],
    });
    await manager.started();
    stop.abort();
    let ended: unknown;
    done.catch((error: unknown) => {
      ended = error;
    });
    await eventually(() => {
      void clock.advance(1_000);
      return ended !== undefined;
    });
    expect(String(ended)).toMatch(/did not stop in time: deaf/);
    const noted = lines.filter((line) => line['runnables']);
    expect(noted).toMatchObject(['info', 'error'].map((level) => ({ level, runnables: ['deaf'] })));
  });

  it('logs which reconciles a stop waits for, the time limit, and how to end immediately', async () => {
    const clock = new VirtualClock();
    const server = new FakeApiServer([Site], { clock });
    server.put(Site, site('a'));
    const { log, lines } = collectLog();
    let runs = 0;
    const never = (): Promise<void> => {
      runs++;
      return new Promise(() => {});
    };
    const sites = controller({ for: Site, reconcile: never });
    const { done } = start(server, {
      clock,
      log,
      handleSignals: true,
      gracefulShutdownTimeoutMs: 30_000,
      controllers: [sites],
    });
    await eventually(() => runs === 1);
    const beganMs = clock.monotonic();
    process.emit('SIGINT', 'SIGINT');
    const waits = (): Record<string, unknown> | undefined =>
      lines.find(({ msg }) => msg === 'stopping: waiting for running reconciles to end');
    await eventually(() => {
      void clock.advance(500);
      return waits() !== undefined;
    });
    const noted = {
      level: 'info',
      reconciles: ['site default/a'],
      atMostMs: 10_000,
      endsAtOnce: 'Ctrl-C (or SIGTERM) again',
    };
    expect(waits()).toMatchObject(noted);
    expect(clock.monotonic() - beganMs).toBeGreaterThanOrEqual(2_000);
    let ended = false;
    void done.catch(() => {}).then(() => (ended = true));
    await eventually(() => {
      void clock.advance(1_000);
      return ended;
    });
  });

  it('reads live if a kind is cached only in other namespaces', async () => {
    const server = new FakeApiServer([Site, Page]);
    server.put(Page, { metadata: { name: 'p', namespace: 'elsewhere' }, spec: { text: 'far' } });
    server.put(Page, { metadata: { name: 'p' }, spec: { text: 'near' } });
    server.put(Site, site('a'));
    const seen: unknown[] = [];
    const sites = controller({
      for: Site,
      caches: [cached(Page, { namespaces: ['default'] })],
      async reconcile(_, ctx) {
        for (const namespace of ['default', 'elsewhere']) {
          seen.push((await ctx.get(Page, { namespace, name: 'p' }))?.spec.text);
          seen.push((await ctx.list(Page, { namespace })).length);
        }
        seen.push((await ctx.list(Page)).length);
      },
    });
    start(server, { controllers: [sites] });
    await eventually(() => seen.length >= 5);
    expect(seen.slice(0, 5)).toEqual(['near', 1, 'far', 1, 1]);
  });

  it('keeps its workers when a rate limiter throws', async () => {
    const server = new FakeApiServer([Site]);
    const seen: string[] = [];
    const broken = (): never => {
      throw new Error('broken limiter');
    };
    const sites = controller({
      for: Site,
      rateLimiter: { when: broken, forget: () => {}, failures: () => 0 },
      async reconcile(object) {
        seen.push(object.metadata.name);
        if (object.metadata.name === 'a') throw new Error('fails');
      },
    });
    start(server, { controllers: [sites] });
    server.put(Site, site('a'));
    await eventually(() => seen.includes('a'));
    server.put(Site, site('b'));
    await eventually(() => seen.includes('b'));
  });

  it('loses no event when a predicate throws', async () => {
    const server = new FakeApiServer([Site]);
    const seen: string[] = [];
    const sites = controller({
      for: Site,
      predicates: [
        () => {
          throw new Error('broken filter');
        },
      ],
      async reconcile(object) {
        seen.push(object.metadata.name);
      },
    });
    const { log, lines } = collectLog();
    start(server, { controllers: [sites], log });
    server.put(Site, site('a'));
    await eventually(() => seen.includes('a'));
    expect(lines.some((line) => line['error'] === 'broken filter')).toBe(true);
  });

  it('fails with the reason if a runnable fails or an address is in use', async () => {
    const server = new FakeApiServer([Site]);
    const bad = start(server, { runnables: [{ name: 'bad', run: () => Promise.reject(new Error('broken')) }] });
    await expect(bad.done).rejects.toThrow(/runnable "bad" failed/);
    const first = start(server, { healthProbeBindAddress: '127.0.0.1:0' });
    await first.manager.started();
    const taken = `127.0.0.1:${first.manager.ports.health}`;
    const second = start(server, { healthProbeBindAddress: taken });
    await expect(second.done).rejects.toThrow(/cannot serve health probes on 127.0.0.1/);
  });

  it('is not ready while a cache has received nothing for minutes, and becomes ready again afterwards', async () => {
    const clock = new VirtualClock();
    const server = new FakeApiServer([Site], { clock });
    const { manager } = start(server, { clock, caches: [Site], healthProbeBindAddress: '127.0.0.1:0' });
    await manager.started();
    await eventually(() => server.openWatches === 1);
    const url = `http://127.0.0.1:${manager.ports.health}/readyz/caches`;
    for (let minute = 0; minute < 8; minute++) await clock.advance(60_000);
    expect((await fetch(url)).status).toBe(200);
    server.interrupt = () => {
      throw failure(503, 'ServiceUnavailable', 'gone');
    };
    server.cutWatches();
    for (let minute = 0; minute < 8; minute++) await clock.advance(60_000);
    const answer = await fetch(url);
    expect([answer.status, await answer.text()]).toEqual([
      500,
      expect.stringContaining('the watch of Site has received no events for'),
    ]);
    server.interrupt = undefined;
    await eventually(() => {
      void clock.advance(1_000);
      return server.openWatches === 1;
    });
    const status = async (): Promise<number> => {
      await clock.advance(1_000);
      return (await fetch(url)).status;
    };
    await expect.poll(status, { timeout: 30_000 }).toBe(200);
  });

  it('serves probes and metrics like controller-runtime', async () => {
    const server = new FakeApiServer([Site, Page]);
    server.put(Site, site('a'));
    let reconciled = 0;
    const sites = controller({
      for: Site,
      async reconcile() {
        reconciled++;
      },
    });
    const { log, lines } = collectLog();
    const { manager } = start(server, {
      log,
      controllers: [sites],
      healthProbeBindAddress: '127.0.0.1:0',
      metricsBindAddress: '127.0.0.1:0',
    });
    await manager.started();
    await eventually(() => reconciled === 1);
    const text = async (url: string): Promise<string> => (await fetch(url)).text();
    const { health, metrics } = manager.ports;
    const noted = { level: 'info', url: `http://127.0.0.1:${metrics}/metrics`, readers: 'anyone' };
    expect(lines.find(({ msg }) => msg === 'serving metrics')).toMatchObject(noted);
    expect(await text(`http://127.0.0.1:${health}/healthz`)).toBe('ok');
    expect(await text(`http://127.0.0.1:${health}/readyz?verbose`)).toContain('[+]caches ok');
    expect((await fetch(`http://127.0.0.1:${health}/readyz/none`)).status).toBe(404);
    const exposition = await text(`http://127.0.0.1:${metrics}/metrics`);
    expect(exposition).toContain('controller_runtime_reconcile_total{controller="site",result="success"} 1');
    expect(exposition).toContain('controller_runtime_reconcile_total{controller="site",result="requeue_after"} 0');
    expect(exposition).toContain('workqueue_depth{name="site",controller="site",priority="-100"} 0');
    expect(exposition).toContain('le="1e-08"');
    expect(exposition).toContain('le="9.999999999999999e-06"');
    expect(exposition).toContain('workqueue_longest_running_processor_seconds{name="site",controller="site"} 0');
    expect(exposition).toContain('kubewright_cache_objects{kind="Site"} 1');
  });
});
