import { afterEach, describe, expect, it } from 'vitest';
import { LeaseKind } from '../leader-election/lease.ts';
import { silentLogger } from '../log/silent-logger.ts';
import { eventually } from '../testdata/eventually.ts';
import { FakeApiServer } from '../testdata/fake-api-server.ts';
import { Manager } from './manager.ts';

const Event = { group: 'events.k8s.io', version: 'v1', kind: 'Event', plural: 'events', scope: 'Namespaced' } as const;

describe('the leadership of a manager', () => {
  let manager: Manager | undefined;
  afterEach(() => manager?.[Symbol.asyncDispose]());

  it('is recorded on the Lease when it begins and when it is over', async () => {
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
});
