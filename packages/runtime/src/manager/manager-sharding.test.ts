import { seededRandom, VirtualClock } from '@kubewright/apimachinery';
import { afterEach, describe, expect, it } from 'vitest';
import type { ControllerDefinition } from '../controller/definition/controller-definition.ts';
import { controller, requestController } from '../controller/definition/define-controller.ts';
import { defineKind } from '../kind/define-kind.ts';
import { LeaseKind } from '../leader-election/lease.ts';
import { silentLogger } from '../log/silent-logger.ts';
import { eventually } from '../testdata/eventually.ts';
import { FakeApiServer } from '../testdata/fake-api-server.ts';
import { Manager } from './manager.ts';

const Site = defineKind<object>({ group: 'example.com', version: 'v1', kind: 'Site' });
const names = Array.from({ length: 30 }, (_, at) => `site-${at}`);

const running: Manager[] = [];
afterEach(async () => {
  for (const manager of running.splice(0)) await manager[Symbol.asyncDispose]();
});

describe('Manager sharding', () => {
  it('assigns each key to one replica, and reassigns it when that replica stops', async () => {
    const clock = new VirtualClock();
    const server = new FakeApiServer([Site, LeaseKind], { clock });
    for (const name of names) server.put(Site, { metadata: { name } });
    const done = new Map<string, string>();
    const doing = new Set<string>();
    const replica = (by: string, seed: number): Manager => {
      const sites = controller({
        for: Site,
        sharded: true,
        reconcile({ metadata: { name } }) {
          expect(doing.has(name)).toBe(false);
          doing.add(name);
          return Promise.resolve().then(() => {
            doing.delete(name);
            done.set(name, by);
            return { requeueAfterMs: 1_000 };
          });
        },
      });
      const manager = new Manager({
        controllers: [sites],
        sharding: { id: 'sites', namespace: 'default' },
        client: server.client,
        clock,
        random: seededRandom(seed),
        log: silentLogger,
        handleSignals: false,
        watchdog: false,
      });
      running.push(manager);
      manager.run().catch(() => {});
      return manager;
    };
    const workers = (): readonly string[] => names.map((name) => done.get(name) ?? '');
    // Advances the clock while the event loop loads modules.
    let isPassing = false;
    const passUntil = (holds: () => boolean): Promise<void> =>
      eventually(() => {
        if (holds()) return true;
        if (isPassing) return false;
        isPassing = true;
        void clock.advance(50).then(() => {
          isPassing = false;
        });
        return false;
      });
    const one = replica('one', 1);
    await passUntil(() => workers().every((by) => by === 'one'));
    replica('two', 2);
    await passUntil(() => new Set(workers()).size === 2);
    void one[Symbol.asyncDispose]();
    await passUntil(() => workers().every((by) => by === 'two'));
    expect(one.permissions.rules).toContainEqual(
      expect.objectContaining({
        apiGroups: ['coordination.k8s.io'],
        verbs: expect.arrayContaining(['list', 'delete']),
      }),
    );
  });

  it('is rejected if controller and manager disagree, or keys are not listed', () => {
    const { client } = new FakeApiServer([Site]);
    const reconcile = async (): Promise<void> => {};
    const sharding = { id: 'sites' };
    const make = (one: ControllerDefinition, more: object = {}) => new Manager({ client, controllers: [one], ...more });
    const plain = controller({ for: Site, reconcile });
    const shared = controller({ for: Site, reconcile, sharded: true });
    expect(() => make(shared)).toThrow(/keys of "site": .* pass sharding: \{ id: … \}/);
    expect(() => make(plain, { sharding })).toThrow(/sharded: true/);
    const keys = requestController({ name: 'buckets', reconcile, sharded: true });
    expect(() => make(keys, { sharding })).toThrow(expect.objectContaining({ code: 'KW3041' }));
    const listed = requestController({ name: 'buckets', reconcile, sharded: { keys: () => [] } });
    expect(() => make(listed, { sharding })).not.toThrow();
  });
});
