import { type KubernetesObject, seededRandom, VirtualClock } from '@kubewright/apimachinery';
import { describe, expect, it } from 'vitest';
import { Informer } from '../cache/informer.ts';
import { silentLogger } from '../log/silent-logger.ts';
import { FaultyServer } from './testdata/faulty-server.ts';
import { type Flaw, naive, real, type Subject, Thing } from './testdata/subjects.ts';

// Failures reported by users of other clients, each tested against a naive implementation that shows the failure.
// Connections, GOAWAY on real sockets and expired tokens are in packages/client (http-transport.faults.test.ts,
// exec-credentials.test.ts).

interface Scenario {
  readonly name: string;
  readonly flaw: Flaw;
  readonly faults: (server: FaultyServer, pass: (seconds: number) => Promise<void>) => Promise<void> | void;
}

const scenarios: readonly Scenario[] = [
  { name: 'a reset in the middle of a watch', flaw: 'ends at an error', faults: (server) => server.cut('reset') },
  { name: 'GOAWAY in the middle of a watch', flaw: 'ends at an error', faults: (server) => server.cut('goaway') },
  {
    name: '500 and 429 on the watch',
    flaw: 'ends at an error',
    faults: (server) => {
      server.fail('watch', '500');
      server.fail('watch', '429');
      server.cut('end');
    },
  },
  {
    name: '503 on the list',
    flaw: 'ends at an error',
    faults: async (server, pass) => {
      for (let i = 0; i < 3; i++) server.fail('list', '503');
      server.compact();
      server.cut('error 410');
      await pass(20);
    },
  },
  {
    name: '410 in the stream, with deletions meanwhile',
    flaw: 'resumes after 410',
    faults: (server) => {
      server.cut('error 410');
      server.delete('a');
      server.compact();
    },
  },
  {
    name: 'deletions while no watch was open',
    flaw: 'resumes without a version',
    faults: (server) => {
      server.cut('end');
      server.delete('a');
    },
  },
  { name: 'a connection that is half open', flaw: 'trusts every connection', faults: (server) => server.halfOpen() },
];

async function outcome(make: (server: FaultyServer, clock: VirtualClock, seed: number) => Subject, scenario: Scenario) {
  const clock = new VirtualClock();
  const server = new FaultyServer(clock);
  const stop = new AbortController();
  for (const name of ['a', 'b']) server.put(name);
  const subject = make(server, clock, 1);
  subject.run(stop.signal);
  await clock.advance(5_000);
  await scenario.faults(server, (seconds) => clock.advance(seconds * 1_000));
  server.put('c');
  server.delete('b');
  await clock.advance(300_000);
  stop.abort();
  return { shown: [...subject.state().keys()].sort(), wanted: [...server.state.keys()].sort() };
}

describe('field failures: watches', () => {
  it.each(scenarios)('$name', async (scenario) => {
    const ours = await outcome(real, scenario);
    expect(ours.shown).toEqual(ours.wanted);
    const theirs = await outcome(naive(scenario.flaw), scenario);
    expect(theirs.shown).not.toEqual(theirs.wanted);
  });

  it('does not reconnect a quiet watch for nine minutes while bookmarks arrive', async () => {
    const clock = new VirtualClock();
    const server = new FaultyServer(clock);
    const stop = new AbortController();
    const parts = { kind: Thing, listWatcher: server, clock, random: seededRandom(1), log: silentLogger };
    const informer = new Informer<KubernetesObject>(parts);
    void informer.run(stop.signal);
    let restarts = 0;
    let quietSeconds = 0;
    for (let second = 1; second <= 540; second++) {
      await clock.advance(1_000);
      if (second % 60 === 0) server.bookmark();
      // The naive client: a timer that only events reset, as users build it on clients without bookmarks.
      if (++quietSeconds === 60) {
        restarts++;
        quietSeconds = 0;
      }
    }
    stop.abort();
    expect(restarts).toBe(9);
    expect([informer.gauges.watches, informer.fault]).toEqual([1, undefined]);
  });
});
