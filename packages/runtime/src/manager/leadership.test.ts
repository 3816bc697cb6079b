import { sleep, VirtualClock } from '@kubewright/apimachinery';
import type { KubernetesClient } from '@kubewright/client';
import { afterEach, describe, expect, it } from 'vitest';
import { controller, requestController } from '../controller/definition/define-controller.ts';
import { defineKind } from '../kind/define-kind.ts';
import { LeaseKind } from '../leader-election/lease.ts';
import { silentLogger } from '../log/silent-logger.ts';
import type { Runnable } from '../runnable/runnable.ts';
import { channelSource, enqueueRequest } from '../source/channel-source.ts';
import { EventChannel } from '../source/event-channel.ts';
import { eventually } from '../testdata/eventually.ts';
import { FakeApiServer, failure } from '../testdata/fake-api-server.ts';
import { Manager } from './manager.ts';

const Event = { group: 'events.k8s.io', version: 'v1', kind: 'Event', plural: 'events', scope: 'Namespaced' } as const;
const Site = defineKind<{ readonly ttl: string }>({ group: 'example.com', version: 'v1', kind: 'Site' });

describe('Leadership', () => {
  let manager: Manager | undefined;
  afterEach(() => manager?.[Symbol.asyncDispose]());

  it('is recorded on the Lease when a term begins and ends', async () => {
    const server = new FakeApiServer([LeaseKind, Event]);
    manager = new Manager({
      client: server.client,
      leaderElection: { id: 'op.example.com', namespace: 'default', identity: 'me' },
      log: silentLogger,
      handleSignals: false,
      watchdog: false,
    });
    manager.run().catch(() => {});
    await manager.elected();
    await eventually(() => server.list(Event).length === 1);
    const regarding = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', name: 'op.example.com' };
    expect(server.list(Event)[0]).toMatchObject({
      type: 'Normal',
      reason: 'LeaderElection',
      note: 'me became leader',
      regarding: { ...regarding, uid: server.get(LeaseKind, 'op.example.com').metadata.uid },
    });
    await manager[Symbol.asyncDispose]();
    expect(server.list(Event).map(({ note }) => note)).toEqual(['me became leader', 'me stopped leading']);
  });

  describe('across a lost term', () => {
    const clock = new VirtualClock();
    // Advances this clock while waiting for managers that are still running.
    afterEach(async () => {
      let isEnded = false;
      void manager?.[Symbol.asyncDispose]().then(() => {
        isEnded = true;
      });
      await eventually(() => {
        void clock.advance(1_000);
        return isEnded;
      });
    });
    const rest = {
      clock,
      leaderElection: { id: 'lock', namespace: 'default', identity: 'me' },
      log: silentLogger,
      handleSignals: false,
      watchdog: false,
    };

    async function pass(ms: number): Promise<void> {
      for (let passed = 0; passed < ms; passed += 100) {
        await clock.advance(100);
        await new Promise(setImmediate);
      }
    }

    /**
     * Hands the lease to another replica once this replica's term has expired; the returned function releases the lease again.
     */
    async function loseTo(server: FakeApiServer, other: string): Promise<() => void> {
      await eventually(() => server.get(LeaseKind, 'lock')?.spec.holderIdentity === 'me');
      server.interrupt = ({ url, method }) => {
        if (url.pathname.includes('/leases') && method !== 'GET') throw failure(503, 'ServiceUnavailable', 'cut off');
        return undefined;
      };
      await pass(11_000);
      const lease = server.get(LeaseKind, 'lock');
      server.put(LeaseKind, { ...lease, spec: { ...lease.spec, holderIdentity: other } });
      return () => {
        server.interrupt = undefined;
        const taken = server.get(LeaseKind, 'lock');
        server.put(LeaseKind, { ...taken, spec: { ...taken.spec, holderIdentity: '' } });
      };
    }

    /** Returns a runnable that ignores its signal and writes as often as it can. */
    function deaf(seen: string[], options: Partial<Runnable> = {}): Runnable {
      let terms = 0;
      return {
        name: 'deaf',
        async run(_, { client }) {
          const term = ++terms;
          const body = { spec: { ttl: `term ${term}` } };
          const key = { namespace: 'default', name: 'a' };
          for (let write = 0; write < 60; write++) {
            await sleep(clock, { ms: 1_000 });
            await client
              .resource(Site)
              .patch(key, { type: 'merge', body })
              .then(
                () => seen.push(`term ${term} writes`),
                (error: { readonly code?: string }) => seen.push(`term ${term} is refused: ${error.code}`),
              );
          }
        },
        ...options,
      };
    }

    function started(server: FakeApiServer, runnables: readonly Runnable[]): Promise<void> {
      server.put(Site, { metadata: { name: 'a' }, spec: { ttl: 'x' } });
      manager = new Manager({ ...rest, client: server.client, runnables });
      manager.run().catch(() => {});
      return manager.started();
    }

    it('lets a leader-only runnable write only in its own term', async () => {
      const server = new FakeApiServer([LeaseKind, Event, Site], { clock });
      const seen: string[] = [];
      await started(server, [deaf(seen)]);
      await pass(5_000);
      expect(new Set(seen.splice(0))).toEqual(new Set(['term 1 writes']));
      const giveBack = await loseTo(server, 'other');
      seen.splice(0);
      await pass(5_000);
      expect(new Set(seen.splice(0))).toEqual(new Set(['term 1 is refused: KW3008']));
      giveBack();
      // The abandoned run continues into the next term, in which it cannot write.
      await pass(70_000);
      expect(server.get(LeaseKind, 'lock').spec.holderIdentity).toBe('me');
      const [last, ...before] = [...new Set(seen)].reverse();
      expect([last, ...before]).toEqual(['term 2 writes', 'term 1 is refused: KW3008']);
    });

    it("lets the manager's client write only while it leads, and its unfenced client always", async () => {
      const server = new FakeApiServer([LeaseKind, Event, Site], { clock });
      server.put(Site, { metadata: { name: 'a' }, spec: { ttl: 'x' } });
      manager = new Manager({ ...rest, client: server.client });
      const key = { namespace: 'default', name: 'a' };
      const { client, unfencedClient } = manager;
      const write = (by: KubernetesClient) =>
        by.resource(Site).patch(key, { type: 'merge', body: { spec: { ttl: 'y' } } });
      const refused = { code: 'KW3008', message: expect.stringContaining('manager.unfencedClient') };
      await expect(write(client)).rejects.toMatchObject(refused);
      manager.run().catch(() => {});
      await manager.elected();
      await write(client);
      const giveBack = await loseTo(server, 'other');
      await expect(write(client)).rejects.toMatchObject(refused);
      // A connection into a pod is opened with a GET.
      await expect(client.pods.exec({ namespace: 'default', name: 'p' }, { command: ['ls'] })).rejects.toMatchObject(
        refused,
      );
      expect((await client.resource(Site).get(key)).spec.ttl).toBe('y');
      await write(unfencedClient);
      giveBack();
      await eventually(() => {
        void clock.advance(500);
        return server.get(LeaseKind, 'lock').spec.holderIdentity === 'me';
      });
      await write(client);
    });

    it('does not restrict runnables that run on every replica', async () => {
      const server = new FakeApiServer([LeaseKind, Event, Site], { clock });
      const seen: string[] = [];
      await started(server, [deaf(seen, { needLeaderElection: false })]);
      await loseTo(server, 'other');
      await pass(5_000);
      expect(new Set(seen)).toEqual(new Set(['term 1 writes']));
    });

    it('stops runnables immediately, even while a reconcile takes long to end', async () => {
      const server = new FakeApiServer([LeaseKind, Event, Site], { clock });
      server.put(Site, { metadata: { name: 'a' }, spec: { ttl: 'x' } });
      let isReconciling = false;
      let signal: AbortSignal | undefined;
      const sites = controller({
        for: Site,
        async reconcile() {
          isReconciling = true;
          await sleep(clock, { ms: 3_600_000 });
        },
      });
      const heeding: Runnable = {
        name: 'heeding',
        async run(given) {
          signal = given;
          await new Promise<void>((resolve) => given.addEventListener('abort', () => resolve()));
        },
      };
      manager = new Manager({ ...rest, client: server.client, controllers: [sites], runnables: [heeding] });
      manager.run().catch(() => {});
      await eventually(() => isReconciling && signal !== undefined);
      await loseTo(server, 'other');
      expect(signal?.aborted).toBe(true);
    });

    it('keeps the namespaces that a program has set', async () => {
      const server = new FakeApiServer([Site, LeaseKind, Event], { clock });
      for (const namespace of ['first', 'second', 'third'])
        server.put(Site, { metadata: { name: 'a', namespace }, spec: { ttl: '1' } });
      const seen: string[] = [];
      const recording = (name: string) =>
        controller({
          for: Site,
          name,
          async reconcile({ metadata }, ctx) {
            seen.push(`${name} ${metadata.namespace}`);
            if (name === 'added' && metadata.namespace === 'first')
              await ctx.cache.setNamespaces(Site, { namespaces: ['third'] });
          },
        });
      manager = new Manager({
        ...rest,
        client: server.client,
        namespaces: ['first'],
        controllers: [recording('own')],
      });
      manager.run().catch(() => {});
      manager.add(recording('added'));
      await eventually(() => seen.includes('own first'));
      await manager.cache.setNamespaces(Site, { namespaces: ['second'] });
      const expected = ['added first', 'added third', 'own first', 'own second'];
      await eventually(() => expected.every((each) => seen.includes(each)));
      const release = await loseTo(server, 'other');
      seen.length = 0;
      release();
      await eventually(() => {
        void clock.advance(500);
        return seen.length === 2;
      });
      expect(seen.sort()).toEqual(['added third', 'own second']);
    });

    it('carries keys from channels and requeue results over to the next term', async () => {
      const server = new FakeApiServer([LeaseKind, Event], { clock });
      const channel = new EventChannel<{ readonly name: string }>();
      const done: string[] = [];
      let isHeld = true;
      const listener = requestController({
        name: 'listener',
        sources: [channelSource({ name: 'channel', events: channel, handler: enqueueRequest })],
        async reconcile({ name }, { signal }) {
          if (name === 'later') {
            done.push(name);
            return { requeueAfterMs: 120_000 };
          }
          // This reconcile respects its signal, so its key is still pending when the term is lost.
          if (isHeld) await sleep(clock, { ms: 3_600_000, signal });
          done.push(name);
          return undefined;
        },
      });
      manager = new Manager({ ...rest, client: server.client, controllers: [listener] });
      manager.run().catch(() => {});
      await manager.started();
      await channel.send({ name: 'later' });
      await eventually(() => done.length === 1);
      for (const name of ['running', 'waiting', 'last']) await channel.send({ name });
      const giveBack = await loseTo(server, 'other');
      await channel.send({ name: 'meanwhile' });
      isHeld = false;
      giveBack();
      await pass(60_000);
      expect(done).toEqual(['later', 'running', 'waiting', 'last', 'meanwhile']);
      // The key runs two minutes after the requeue was requested, no matter which replica led in the meantime.
      await pass(60_000);
      expect(done.at(-1)).toBe('later');
      expect(done).toHaveLength(6);
    });

    it('does not rerun a key whose reconcile finished after its term, and keeps its requeue time', async () => {
      const server = new FakeApiServer([LeaseKind, Event], { clock });
      const channel = new EventChannel<{ readonly name: string }>();
      const done: string[] = [];
      let finish = (): void => {};
      const listener = requestController({
        name: 'listener',
        sources: [channelSource({ name: 'channel', events: channel, handler: enqueueRequest })],
        async reconcile({ name }) {
          if (done.length === 0) {
            await new Promise<void>((resolve) => {
              finish = resolve;
            });
          }
          done.push(name);
          return { requeueAfterMs: 120_000 };
        },
      });
      manager = new Manager({ ...rest, client: server.client, controllers: [listener] });
      manager.run().catch(() => {});
      await manager.started();
      await channel.send({ name: 'a' });
      const before = finish;
      await eventually(() => finish !== before);
      const giveBack = await loseTo(server, 'other');
      finish();
      giveBack();
      await pass(60_000);
      expect(server.get(LeaseKind, 'lock').spec.holderIdentity).toBe('me');
      expect(done).toEqual(['a']);
      await pass(70_000);
      expect(done).toEqual(['a', 'a']);
    });
  });
});
