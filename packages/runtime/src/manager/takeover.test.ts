import { VirtualClock } from '@kubewright/apimachinery';
import { afterEach, describe, expect, it } from 'vitest';
import { controller } from '../controller/definition/define-controller.ts';
import { defineKind } from '../kind/define-kind.ts';
import { LeaseKind } from '../leader-election/lease.ts';

import { BusyClock } from '../testdata/busy-clock.ts';
import { FakeApiServer } from '../testdata/fake-api-server.ts';
import { RecordingLogger } from '../testdata/recording-logger.ts';
import { Manager } from './manager.ts';

const Site = defineKind<{ readonly text: string }>({ group: 'example.com', version: 'v1', kind: 'Site' });
const Event = { group: 'events.k8s.io', version: 'v1', kind: 'Event', plural: 'events', scope: 'Namespaced' } as const;

describe('a replica that takes over', () => {
  const clock = new BusyClock(new VirtualClock());
  let manager: Manager | undefined;
  afterEach(async () => {
    let isEnded = false;
    void manager?.[Symbol.asyncDispose]().then(() => {
      isEnded = true;
    });
    while (!isEnded) {
      await clock.turn(100);
      await new Promise(setImmediate);
    }
  });

  it('keeps its lease while its controllers process a cache for longer than the renew deadline', async () => {
    const server = new FakeApiServer([Site, Event, LeaseKind]);
    const count = 400;
    for (let i = 0; i < count; i++) server.put(Site, { metadata: { name: `s${i}` }, spec: { text: 'x' } });
    const spec = { holderIdentity: 'other', leaseDurationSeconds: 15 };
    server.put(LeaseKind, { metadata: { name: 'lock' }, spec });
    const log = new RecordingLogger();
    let shown = 0;
    let runs = 0;
    const sites = controller({
      for: Site,
      predicates: [
        () => {
          // The predicate takes 40 s for all objects together.
          clock.work(100);
          shown++;
          return true;
        },
      ],
      async reconcile() {
        runs++;
      },
    });
    manager = new Manager({
      client: server.client,
      clock,
      log,
      handleSignals: false,
      watchdog: false,
      leaderElection: { id: 'lock', namespace: 'default', identity: 'me' },
      controllers: [sites],
    });
    manager.run().catch(() => {});
    await manager.started();
    expect(shown).toBe(0);
    while (runs < count && clock.monotonic() < 200_000) {
      await clock.turn(shown === 0 ? 100 : 0);
      await new Promise(setImmediate);
    }
    expect(runs).toBe(count);
    expect(shown).toBe(count);
    expect(clock.monotonic()).toBeGreaterThan(40_000);
    expect(log.messages('warn')).toEqual([]);
  });
});
