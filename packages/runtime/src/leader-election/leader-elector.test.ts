import { seededRandom, sleep, VirtualClock } from '@kubewright/apimachinery';
import { afterEach, describe, expect, it } from 'vitest';
import type { Logger } from '../log/logger.ts';
import { silentLogger } from '../log/silent-logger.ts';
import { FakeApiServer, failure } from '../testdata/fake-api-server.ts';
import { RecordingLogger } from '../testdata/recording-logger.ts';
import { LeaderElector } from './leader-elector.ts';

const Lease = {
  group: 'coordination.k8s.io',
  version: 'v1',
  kind: 'Lease',
  plural: 'leases',
  scope: 'Namespaced',
} as const;
const stops: AbortController[] = [];
afterEach(() => {
  for (const stop of stops.splice(0)) stop.abort();
});

interface Candidate {
  readonly elector: LeaderElector;
  readonly stop: AbortController;
  readonly terms: string[];
  readonly received: string[];
  leading: boolean;
}

interface CandidateOptions {
  readonly identity: string;
  readonly drainMs?: number;
  readonly log?: Logger;
}

function campaign(server: FakeApiServer, clock: VirtualClock, how: string | CandidateOptions): Candidate {
  const { identity, drainMs = 0, log = silentLogger } = typeof how === 'string' ? { identity: how } : how;
  const received: string[] = [];
  const elector = new LeaderElector({
    onTerm: (what, { kind, metadata: { namespace, name, uid } }) =>
      void received.push(`${what} ${kind} ${namespace}/${name} ${uid === undefined ? '' : 'known'}`),
    id: 'lock',
    identity,
    client: server.client,
    clock,
    random: seededRandom(identity.length),
    log,
  });
  const stop = new AbortController();
  stops.push(stop);
  const candidate: Candidate = { elector, stop, terms: [], received, leading: false };
  void elector.run(stop.signal, async (term) => {
    candidate.leading = true;
    candidate.terms.push('begin');
    await new Promise<void>((resolve) => term.addEventListener('abort', () => resolve()));
    if (drainMs > 0) await sleep(clock, { ms: drainMs });
    candidate.leading = false;
    candidate.terms.push('end');
  });
  return candidate;
}

async function run(clock: VirtualClock, seconds: number, each: () => void): Promise<void> {
  for (let i = 0; i < seconds * 4; i++) {
    await clock.advance(250);
    each();
  }
}

describe('LeaderElector', () => {
  it('hands leadership over only after the lease is released', async () => {
    const clock = new VirtualClock();
    const server = new FakeApiServer([Lease], { clock });
    const a = campaign(server, clock, 'a');
    await run(clock, 1, () => {});
    const b = campaign(server, clock, 'bb');
    await run(clock, 60, () => expect(a.leading && b.leading).toBe(false));
    expect([a.leading, b.leading]).toEqual([true, false]);
    expect(server.get(Lease, 'lock').spec).toMatchObject({
      holderIdentity: 'a',
      leaseDurationSeconds: 15,
      leaseTransitions: 0,
    });
    a.stop.abort();
    await run(clock, 6, () => expect(a.leading && b.leading).toBe(false));
    expect([a.leading, b.leading]).toEqual([false, true]);
    expect(server.get(Lease, 'lock').spec).toMatchObject({ holderIdentity: 'bb', leaseTransitions: 1 });
    expect([a.received, b.received]).toEqual([
      ['became leader Lease default/lock known', 'stopped leading Lease default/lock known'],
      ['became leader Lease default/lock known'],
    ]);
  });

  it('keeps the lease until stopped work has finished', async () => {
    const clock = new VirtualClock();
    const server = new FakeApiServer([Lease], { clock });
    const a = campaign(server, clock, { identity: 'a', drainMs: 40_000 });
    await run(clock, 1, () => {});
    const b = campaign(server, clock, 'bb');
    await run(clock, 20, () => {});
    a.stop.abort();
    const stoppedAt = clock.monotonic();
    let takenAt = 0;
    await run(clock, 60, () => {
      expect(a.leading && b.leading).toBe(false);
      if (b.leading && takenAt === 0) takenAt = clock.monotonic();
    });
    expect(takenAt - stoppedAt).toBeGreaterThanOrEqual(40_000);
    expect(takenAt - stoppedAt).toBeLessThan(47_000);
  });

  it('ends the term before the lease can expire when the server is unreachable, then campaigns again', async () => {
    const clock = new VirtualClock();
    const server = new FakeApiServer([Lease], { clock });
    const a = campaign(server, clock, 'a');
    await run(clock, 5, () => {});
    expect(a.leading).toBe(true);
    server.interrupt = () => {
      throw failure(500, 'InternalError', 'gone');
    };
    const lostAt = clock.monotonic();
    let endedAt = 0;
    await run(clock, 14, () => {
      if (!a.leading && endedAt === 0) endedAt = clock.monotonic();
    });
    expect(endedAt - lostAt).toBeGreaterThan(7_000);
    expect(endedAt - lostAt).toBeLessThan(12_500);
    server.interrupt = undefined;
    await run(clock, 30, () => {});
    expect(a.terms).toEqual(['begin', 'end', 'begin']);
  });

  it('ignores the times in the record and waits a full lease duration after first seeing it', async () => {
    const clock = new VirtualClock();
    const server = new FakeApiServer([Lease], { clock });
    server.put(Lease, {
      metadata: { name: 'lock' },
      spec: { holderIdentity: 'dead', leaseDurationSeconds: 15, renewTime: '1999-01-01T00:00:00.000000Z' },
    });
    const a = campaign(server, clock, 'a');
    await run(clock, 14, () => expect(a.leading).toBe(false));
    await run(clock, 8, () => {});
    expect(a.leading).toBe(true);
  });

  it('recreates a deleted lease and keeps leading', async () => {
    const clock = new VirtualClock();
    const server = new FakeApiServer([Lease], { clock });
    const a = campaign(server, clock, 'a');
    await run(clock, 5, () => {});
    server.delete(Lease, 'lock');
    await run(clock, 8, () => expect(a.leading).toBe(true));
    expect(server.get(Lease, 'lock').spec.holderIdentity).toBe('a');
    expect(a.terms).toEqual(['begin']);
  });

  describe('when the response to a stored renewal is lost', () => {
    const losing = {
      'never comes': () => new Promise<never>(() => {}),
      'is another failure': () => Promise.reject(failure(504, 'Timeout', 'the gateway timed out')),
    };

    it.each(Object.entries(losing))(
      'rereads the lease in the same attempt and keeps leading: the response %s',
      async (_, lose) => {
        const clock = new VirtualClock();
        const server = new FakeApiServer([Lease], { clock });
        const a = campaign(server, clock, 'a');
        await run(clock, 5, () => {});
        const asked: string[] = [];
        server.interrupt = ({ method }) => {
          asked.push(method);
          if (asked.length > 1) return undefined;
          const lease = server.get(Lease, 'lock');
          server.put(Lease, { ...lease, spec: { ...lease.spec, renewTime: 'as renewed' } });
          return lose();
        };
        await run(clock, 60, () => expect(a.elector.isLeading).toBe(true));
        expect(asked.slice(0, 3)).toEqual(['PUT', 'GET', 'PUT']);
        expect(a.terms).toEqual(['begin']);
      },
    );
  });

  it('keeps leading when another client labels the lease', async () => {
    const clock = new VirtualClock();
    const server = new FakeApiServer([Lease], { clock });
    const a = campaign(server, clock, 'a');
    await run(clock, 5, () => {});
    const lease = server.get(Lease, 'lock');
    server.put(Lease, { ...lease, metadata: { ...lease.metadata, labels: { seen: 'yes' } } });
    await run(clock, 3, () => {});
    expect(server.get(Lease, 'lock')).toMatchObject({ metadata: { labels: { seen: 'yes' } } });
    const renewed = server.get(Lease, 'lock').spec.renewTime;
    expect(renewed).not.toBe(lease.spec.renewTime);
    expect(a.terms).toEqual(['begin']);
  });

  it('stops leading before its timers fire: after a pause, and when the clocks drift apart', async () => {
    const clock = new VirtualClock();
    const server = new FakeApiServer([Lease], { clock });
    const a = campaign(server, clock, 'a');
    await run(clock, 5, () => {});
    expect(a.elector.isLeading).toBe(true);
    clock.jumpWall(11_000);
    expect(a.elector.isLeading).toBe(false);
    await run(clock, 3, () => {});
    expect(a.terms).toEqual(['begin', 'end', 'begin']);
    clock.jumpWall(-5_000);
    expect(a.elector.isLeading).toBe(false);
  });

  it('releases the lease when its work fails', async () => {
    const clock = new VirtualClock();
    const server = new FakeApiServer([Lease], { clock });
    const options = { id: 'lock', client: server.client, clock, random: seededRandom(1), log: silentLogger };
    const failed = new LeaderElector(options).run(new AbortController().signal, () =>
      Promise.reject(new Error('broken')),
    );
    await expect(failed).rejects.toThrow('broken');
    expect(server.get(Lease, 'lock').spec.holderIdentity).toBe('');
  });

  it('times out a hanging request while campaigning', async () => {
    const clock = new VirtualClock();
    const server = new FakeApiServer([Lease], { clock });
    let hung = 0;
    server.interrupt = () => (hung++ === 0 ? new Promise(() => {}) : undefined);
    const a = campaign(server, clock, 'a');
    await run(clock, 12, () => {});
    expect(a.leading).toBe(true);
  });

  it('reports a missing namespace once, and leads when the namespace exists', async () => {
    const clock = new VirtualClock();
    const server = new FakeApiServer([Lease], { clock });
    server.interrupt = ({ method }) => {
      if (method === 'POST') throw failure(404, 'NotFound', 'namespaces "default" not found');
      return undefined;
    };
    const log = new RecordingLogger();
    const a = campaign(server, clock, { identity: 'a', log });
    await run(clock, 60, () => {});
    expect(log.messages('error')).toEqual(['cannot acquire or renew the lease']);
    const [line] = log.lines.filter(({ level }) => level === 'error');
    expect(String(line?.fields['error'])).toMatch(
      /cannot create lease default\/lock: namespace "default" not found; create the namespace, or set "leaderElection.namespace"/,
    );
    server.interrupt = undefined;
    await run(clock, 12, () => {});
    expect(a.leading).toBe(true);
  });

  it('rejects durations that do not keep leaders apart', () => {
    const server = new FakeApiServer([Lease]);
    const options = {
      id: 'x',
      client: server.client,
      clock: new VirtualClock(),
      random: seededRandom(1),
      log: silentLogger,
    };
    expect(() => new LeaderElector({ ...options, leaseDurationSeconds: 10, renewDeadlineSeconds: 10 })).toThrow(
      /invalid leader election/,
    );
    expect(() => new LeaderElector({ ...options, renewDeadlineSeconds: 2 })).toThrow(/invalid leader election/);
  });
});
