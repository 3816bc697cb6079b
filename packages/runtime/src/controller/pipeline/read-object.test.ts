import { VirtualClock } from '@kubewright/apimachinery';
import { afterEach, describe, expect, it } from 'vitest';
import { type CachedKind, cached } from '../../cache/cached-kind.ts';
import { defineKind } from '../../kind/define-kind.ts';
import { silentLogger } from '../../log/silent-logger.ts';
import { Manager } from '../../manager/manager.ts';
import { eventually } from '../../testdata/eventually.ts';
import { FakeApiServer, failure } from '../../testdata/fake-api-server.ts';
import type { ControllerDefinition } from '../definition/controller-definition.ts';
import { controller } from '../definition/define-controller.ts';

const Vm = defineKind<{ readonly size: number }, { readonly id: string }>({
  group: 'example.com',
  version: 'v1',
  kind: 'Vm',
});

const clock = new VirtualClock();
const running: Manager[] = [];
afterEach(async () => {
  for (const manager of running.splice(0)) await manager[Symbol.asyncDispose]();
});

/**
 * Starts a manager on a server with one Vm. The server stores status writes but responds with 504, and its watch delivers
 * nothing.
 */
async function setUp(
  define: (server: FakeApiServer) => ControllerDefinition,
  caches: readonly CachedKind[] = [],
): Promise<FakeApiServer> {
  const server = new FakeApiServer([Vm]);
  server.put(Vm, { metadata: { name: 'a', labels: { app: 'x' } }, spec: { size: 1 } });
  const client = server.client.intercepted(async (call, next) => {
    const answer = await next(call);
    if (!call.request.path.includes('/status')) return answer;
    throw failure(504, 'Timeout', 'request timed out');
  });
  const options = { client, clock, log: silentLogger, handleSignals: false, watchdog: false, caches };
  const manager = new Manager({ ...options, controllers: [define(server)] });
  running.push(manager);
  server.interrupt = ({ verb, url }) =>
    verb === 'watch' && !url.searchParams.has('sendInitialEvents') ? new Promise(() => {}) : undefined;
  manager.run().catch(() => {});
  await manager.started();
  return server;
}

/** Advances the clock until the condition holds, because backoff is part of the test. */
async function soon(condition: () => boolean): Promise<void> {
  await eventually(() => {
    void clock.advance(50);
    return condition();
  });
}

describe('an object whose status was stored although the response was lost', () => {
  it('is reconciled in its current state, so nothing recorded in the status is created twice', async () => {
    const seen: (string | undefined)[] = [];
    let made = 0;
    const server = await setUp((server) =>
      controller({
        for: Vm,
        async reconcile(vm, ctx) {
          seen.push(vm.status?.id);
          // Cut the watch, so that it never delivers the status.
          if (made === 0) server.cutWatches();
          if (!vm.status?.id) await ctx.setStatus({ id: `vm-${++made}` });
        },
      }),
    );
    await soon(() => seen.length >= 2);
    expect([made, seen]).toEqual([1, [undefined, 'vm-1']]);
    // The object comes from the server, so checking it again before the write would be redundant.
    const gets = server.requests.filter((request) => request.startsWith('GET') && request.endsWith('/vms/a'));
    expect(gets).toHaveLength(1);
  });

  it('is not reconciled if it was deleted in the meantime', async () => {
    let runs = 0;
    const server = await setUp((server) =>
      controller({
        for: Vm,
        async reconcile(_, ctx) {
          runs++;
          server.cutWatches();
          await ctx.setStatus({ id: 'vm' }).finally(() => server.delete(Vm, 'a'));
        },
      }),
    );
    await soon(() => server.requests.some((request) => request.startsWith('GET') && request.endsWith('/vms/a')));
    for (let i = 0; i < 100; i++) await clock.advance(1_000);
    expect(runs).toBe(1);
  });

  it("is not reconciled outside the controller's selector, but is reconciled if it is only outside another cache's selector", async () => {
    for (const isOwn of [true, false]) {
      let runs = 0;
      const narrow = cached(Vm, { labelSelector: 'app=x' });
      const server = await setUp(
        (server) =>
          controller({
            for: Vm,
            ...(isOwn && { cached: { labelSelector: 'app=x' } }),
            async reconcile(_, ctx) {
              runs++;
              if (runs > 1) return;
              server.cutWatches();
              await ctx.setStatus({ id: 'vm' }).finally(() => {
                server.put(Vm, { ...server.get(Vm, 'a'), metadata: { name: 'a', labels: { app: 'y' } } });
              });
            },
          }),
        isOwn ? [] : [narrow],
      );
      await soon(() => server.requests.some((request) => request.startsWith('GET') && request.endsWith('/vms/a')));
      for (let i = 0; i < 20; i++) await clock.advance(1_000);
      expect(runs).toBe(isOwn ? 1 : 2);
    }
  });
});

describe('finalizers of selected objects', () => {
  it('are added when an object is selected, and run when it is no longer selected', async () => {
    const seen: string[] = [];
    const finalizer = 'example.com/vm';
    const server = new FakeApiServer([Vm]);
    server.put(Vm, { metadata: { name: 'a' }, spec: { size: 1 } });
    let finalized = 0;
    const vms = controller({
      for: Vm,
      needsFinalizers: ({ spec }) => spec.size > 1,
      finalizers: {
        [finalizer]: async () => {
          finalized++;
          seen.push(`finalize ${finalized}`);
          return finalized === 1 ? { requeueAfterMs: 1_000 } : undefined;
        },
      },
      async reconcile({ spec, metadata }) {
        seen.push(`reconcile ${spec.size} with ${metadata.finalizers?.join() || 'none'}`);
      },
    });
    const options = { client: server.client, clock, log: silentLogger, handleSignals: false, watchdog: false };
    const manager = new Manager({ ...options, controllers: [vms] });
    running.push(manager);
    manager.run().catch(() => {});
    await manager.started();
    await soon(() => seen.at(-1) === 'reconcile 1 with none');

    server.put(Vm, { metadata: { name: 'a' }, spec: { size: 2 } });
    await soon(() => seen.at(-1) === `reconcile 2 with ${finalizer}`);
    server.put(Vm, { metadata: { name: 'a', finalizers: [finalizer] }, spec: { size: 1 } });
    await soon(() => seen.at(-1) === 'reconcile 1 with none');
    expect(seen.filter((each) => each.startsWith('finalize'))).toEqual(['finalize 1', 'finalize 2']);
    const patches = server.requests.filter((request) => request.startsWith('PATCH'));
    expect(patches).toHaveLength(2); // added, removed
  });
});
