import { VirtualClock } from '@kubewright/apimachinery';
import { afterEach, describe, expect, it } from 'vitest';
import { controller } from '../controller/definition/define-controller.ts';
import { defineKind } from '../kind/define-kind.ts';
import { silentLogger } from '../log/silent-logger.ts';
import type { Runnable } from '../runnable/runnable.ts';
import { eventually } from '../testdata/eventually.ts';
import { FakeApiServer, failure } from '../testdata/fake-api-server.ts';
import { withDefaults } from './controller-defaults.ts';
import { Manager } from './manager.ts';
import type { ManagerOptions } from './manager-options.ts';

const Site = defineKind<{ readonly domain: string }>({ group: 'example.com', version: 'v1', kind: 'Site' });
const Lease = {
  group: 'coordination.k8s.io',
  version: 'v1',
  kind: 'Lease',
  plural: 'leases',
  scope: 'Namespaced',
} as const;

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

function recording(name: string, received: string[], more: Partial<Runnable> = {}): Runnable {
  return {
    name,
    async run(signal) {
      received.push(`${name} starts`);
      await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
      received.push(`${name} stops`);
    },
    ...more,
  };
}

describe('Manager lifecycle', () => {
  it('rejects a second run through its promise while the first continues', async () => {
    const { manager } = start(new FakeApiServer([Site]), {});
    await manager.started();
    // Acts like a caller that starts the manager and catches its rejection.
    let rejection: unknown;
    await manager.run().catch((error: unknown) => {
      rejection = error;
    });
    expect(rejection).toMatchObject({ code: 'KW3007', message: expect.stringMatching(/twice/) });
    expect(() => manager.add(recording('late', []))).not.toThrow();
  });

  it('starts cache dependencies, caches, runnables and controllers in this order, and stops them in reverse', async () => {
    const server = new FakeApiServer([Site]);
    server.put(Site, { metadata: { name: 'a' }, spec: { domain: 'a' } });
    const received: string[] = [];
    server.interrupt = ({ url, verb }) => {
      if (verb === 'GET' && url.pathname.endsWith('/sites') && !received.includes('caches list'))
        received.push('caches list');
      return undefined;
    };
    server.watchListSupported = false;
    let ready = (): void => {};
    const sites = controller({
      for: Site,
      async reconcile() {
        received.push('reconcile');
      },
    });
    const stop = new AbortController();
    const { manager, done } = start(server, {
      controllers: [sites],
      signal: stop.signal,
      runnables: [
        recording('other', received),
        recording('webhook', received, {
          beforeCaches: true,
          ready: () =>
            new Promise((resolve) => {
              ready = resolve;
            }),
        }),
      ],
    });
    await eventually(() => received.includes('webhook starts'));
    // No other part starts before the webhook is ready, because the first list may need the webhook.
    for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate);
    expect(received).toEqual(['webhook starts']);
    ready();
    await manager.elected();
    await eventually(() => received.includes('reconcile'));
    expect(received).toEqual(['webhook starts', 'caches list', 'other starts', 'reconcile']);
    stop.abort();
    await done;
    expect(received.slice(4)).toEqual(['other stops', 'webhook stops']);
    expect(() => manager.add(recording('late', received))).toThrow(/the manager has stopped/);
  });

  it('does not wait with a budget of 0, and waits forever with a negative budget', async () => {
    for (const [budget, ends] of [
      [0, true],
      [-1, false],
    ] as const) {
      const clock = new VirtualClock();
      const server = new FakeApiServer([Site], { clock });
      const stop = new AbortController();
      let release = (): void => {};
      const deaf: Runnable = {
        name: 'deaf',
        run: () =>
          new Promise((resolve) => {
            release = resolve;
          }),
      };
      const { manager, done } = start(server, {
        clock,
        gracefulShutdownTimeoutMs: budget,
        runnables: [deaf],
        signal: stop.signal,
      });
      await manager.started();
      stop.abort();
      let ended: unknown = 'not yet';
      done.then(
        () => (ended = 'well'),
        (error: unknown) => (ended = error),
      );
      for (let step = 0; step < 20; step++) {
        await clock.advance(60_000);
        await new Promise(setImmediate);
      }
      if (ends) expect(String(ended)).toContain('did not stop in time: deaf');
      else expect(ended).toBe('not yet');
      release();
      await eventually(() => ended !== 'not yet');
      expect(String(ended)).toContain(ends ? 'deaf' : 'well');
    }
  });

  it('times out on caches that never list if configured to', async () => {
    const clock = new VirtualClock();
    const server = new FakeApiServer([Site], { clock });
    server.interrupt = () => {
      throw failure(404, 'NotFound', 'the server could not find the requested resource');
    };
    const { done } = start(server, { clock, caches: [Site], cacheSyncTimeoutMs: 30_000 });
    let ended: unknown;
    done.catch((error: unknown) => {
      ended = error;
    });
    await eventually(() => {
      void clock.advance(1_000);
      return ended !== undefined;
    });
    expect(String(ended)).toMatch(/cannot sync the caches of Site: timed out after 30000 ms/);
  });

  it('settles started() of an added controller that never starts', async () => {
    const added = controller({ for: Site, name: 'added', async reconcile() {} });
    const fails = (started: Promise<void>) => expect(started).rejects;
    const held = { holderIdentity: 'other', leaseDurationSeconds: 15, renewTime: '2099-01-01T00:00:00.000000Z' };
    const server = new FakeApiServer([Site, Lease]);
    server.put(Lease, { metadata: { name: 'held', namespace: 'default' }, spec: held });

    const { manager: follower } = start(server, { leaderElection: { id: 'held', namespace: 'default' } });
    const never = follower.add(added).started();
    await follower.started();
    await follower[Symbol.asyncDispose]();
    await fails(never).toThrow('the controller "added" was not started: the manager has stopped');

    const idle = new Manager({ client: server.client, log: silentLogger, handleSignals: false });
    const idleStarts = [idle.started(), idle.elected(), idle.add(added).started()];
    await idle[Symbol.asyncDispose]();
    for (const each of idleStarts) await fails(each).toMatchObject({ code: 'KW3007' });

    const throwing = { name: 'throwing', start: () => Promise.reject(new Error('no source')) };
    const { manager, done } = start(server, {});
    const failed = manager.add(controller({ for: Site, sources: [throwing], async reconcile() {} })).started();
    await fails(failed).toThrow('no source');
    await fails(done).toMatchObject({ cause: new Error('no source') });
  });

  it('limits the time for the caches of an added controller, and reports its permissions', async () => {
    const clock = new VirtualClock();
    const server = new FakeApiServer([Site], { clock });
    server.interrupt = () => {
      throw failure(403, 'Forbidden', 'not allowed');
    };
    const { manager, done } = start(server, { clock, cacheSyncTimeoutMs: 30_000 });
    let ended: unknown;
    done.catch((error: unknown) => {
      ended = error;
    });
    await manager.started();
    expect(manager.permissions.rules).toEqual([]);
    const failed = manager.add(controller({ for: Site, name: 'added', async reconcile() {} })).started();
    failed.catch(() => {});
    const reading = { apiGroups: ['example.com'], resources: ['sites'], verbs: ['get', 'list', 'watch'] };
    expect(manager.permissions.rules).toContainEqual(reading);
    await eventually(() => {
      void clock.advance(1_000);
      return ended !== undefined;
    });
    await expect(failed).rejects.toThrow(/cannot sync the caches of Site: timed out after 30000 ms/);
  });

  it('stops everything else when one part fails to stop, and throws that failure', async () => {
    const virtual = new VirtualClock();
    let isStopping = false;
    const clock = {
      now: () => virtual.now(),
      monotonic: () => virtual.monotonic(),
      setTimer(...timer: Parameters<VirtualClock['setTimer']>) {
        // 1,000 ms is the time limit for writing pending events.
        if (isStopping && timer[0] === 1_000) throw new Error('no timer');
        return virtual.setTimer(...timer);
      },
    };
    const { manager, done } = start(new FakeApiServer([Site], { clock: virtual }), {
      clock,
      healthProbeBindAddress: '127.0.0.1:0',
    });
    await manager.started();
    const url = `http://127.0.0.1:${manager.ports.health}/healthz`;
    expect((await fetch(url)).status).toBe(200);
    isStopping = true;
    await manager[Symbol.asyncDispose]();
    await expect(done).rejects.toThrow('no timer');
    await expect(fetch(url)).rejects.toThrow();
  });

  it('fills the queue of a follower that warms up, and processes it once elected', async () => {
    const clock = new VirtualClock();
    const server = new FakeApiServer([Site, Lease], { clock });
    for (const name of ['a', 'b']) server.put(Site, { metadata: { name }, spec: { domain: 'x' } });
    const held = { holderIdentity: 'other', leaseDurationSeconds: 15, renewTime: '2026-01-01T00:00:00.000000Z' };
    server.put(Lease, { metadata: { name: 'op.example.com', namespace: 'default' }, spec: held });
    const seen: string[] = [];
    let listened = 0;
    const sites = controller({
      for: Site,
      warmUp: true,
      sources: [
        {
          name: 'probe',
          async start(context) {
            listened++;
            context.enqueue({ namespace: 'default', name: 'a' });
          },
        },
      ],
      async reconcile(object) {
        seen.push(object.metadata.name);
      },
    });
    const { manager } = start(server, {
      clock,
      controllers: [sites],
      leaderElection: { id: 'op.example.com', namespace: 'default' },
    });
    await manager.started();
    await eventually(() => listened === 1);
    expect(seen).toEqual([]);
    await eventually(() => {
      void clock.advance(1_000);
      return seen.length === 2;
    });
    await manager.elected();
    expect(listened).toBe(1);
    expect(seen.sort()).toEqual(['a', 'b']);
  });

  it('ends on a programming error if the controller does not recover from panics', async () => {
    const server = new FakeApiServer([Site]);
    server.put(Site, { metadata: { name: 'a' }, spec: { domain: 'x' } });
    const sites = controller({
      for: Site,
      recoverPanic: false,
      async reconcile() {
        (undefined as unknown as { readonly call: () => void }).call();
      },
    });
    await expect(start(server, { controllers: [sites] }).done).rejects.toThrow(TypeError);
  });
});

describe('withDefaults', () => {
  it('gives the controller precedence over its kind, and the kind over the manager', () => {
    const none = async (): Promise<void> => {};
    const defaults = { maxConcurrentReconciles: 3, concurrencyByKind: { 'Site.example.com': 5 }, fenced: false };
    const plain = controller({ for: Site, reconcile: none });
    expect(withDefaults(plain, defaults)).toMatchObject({ maxConcurrentReconciles: 5, fenced: false });
    const own = controller({ for: Site, maxConcurrentReconciles: 7, fenced: true, reconcile: none });
    expect(withDefaults(own, defaults)).toMatchObject({ maxConcurrentReconciles: 7, fenced: true });
    expect(withDefaults(plain, { maxConcurrentReconciles: 3 }).maxConcurrentReconciles).toBe(3);
  });
});
