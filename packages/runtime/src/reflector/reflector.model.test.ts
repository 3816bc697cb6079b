import { VirtualClock } from '@kubewright/apimachinery';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { atScale } from '../testdata/model-scale.ts';
import { type Broken, type Cut, type Failure, FaultyServer } from './testdata/faulty-server.ts';
import { type Flaw, idOf, naive, real, type Subject } from './testdata/subjects.ts';

// A reflector against a model of a server with history, under a virtual clock. Not caught: a server that leaves events out
// of a watch that it calls complete, or one that is restored from a backup and passes its old version before anybody looks.

const names = ['a', 'b', 'c'];
/**
 * What is stated: whatever went wrong, this long after it is over the cache shows what the server has. Watches may go on
 * failing, in whatever way, as long as lists are answered: a connection that died without a word, and then a watch that is
 * never answered, take 150 s each to notice, and the wait before the listing up to 30 s.
 */
const boundMs = 360_000;

type Step =
  | { readonly type: 'put' | 'delete'; readonly name: number }
  | { readonly type: 'wait'; readonly seconds: number }
  | { readonly type: 'cut'; readonly how: Cut }
  | { readonly type: 'fail'; readonly verb: 'list' | 'watch'; readonly failure: Failure; readonly times: number }
  | { readonly type: 'lag'; readonly seconds: number }
  | { readonly type: 'silence'; readonly silent: boolean }
  | { readonly type: 'break watches'; readonly how: Broken | undefined }
  | { readonly type: 'poison' }
  | { readonly type: 'half open' | 'compact' | 'repeat' | 'restore' | 'bookmark' };

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ type: fc.constantFrom('put' as const, 'put' as const, 'delete' as const), name: fc.nat(2) }),
  },
  {
    weight: 4,
    arbitrary: fc.record({ type: fc.constant('wait' as const), seconds: fc.constantFrom(0, 1, 5, 40, 200, 400) }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      type: fc.constant('cut' as const),
      how: fc.constantFrom<Cut>('end', 'reset', 'goaway', 'error 410', 'error 500', 'garbage', 'half a line'),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      type: fc.constant('fail' as const),
      verb: fc.constantFrom('list' as const, 'watch' as const),
      failure: fc.constantFrom<Failure>('410', '429', '500', '503', 'refused'),
      times: fc.constantFrom(1, 1, 8),
    }),
  },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('lag' as const), seconds: fc.constantFrom(0, 5, 100) }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('silence' as const), silent: fc.boolean() }) },
  {
    weight: 1,
    arbitrary: fc.record({
      type: fc.constant('break watches' as const),
      how: fc.constantFrom<Broken | undefined>(
        '500',
        '503',
        'reset',
        'error 500',
        'ends at once',
        'unanswered',
        undefined,
      ),
    }),
  },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('poison' as const) }) },
  {
    weight: 4,
    arbitrary: fc.record({
      type: fc.constantFrom(
        'half open' as const,
        'compact' as const,
        'compact' as const,
        'repeat' as const,
        'restore' as const,
        'bookmark' as const,
      ),
    }),
  },
);

async function act(server: FaultyServer, clock: VirtualClock, each: Step): Promise<void> {
  switch (each.type) {
    case 'put':
      server.put(names[each.name]!);
      break;
    case 'delete':
      server.delete(names[each.name]!);
      break;
    case 'wait':
      await clock.advance(each.seconds * 1_000);
      break;
    case 'cut':
      server.cut(each.how);
      break;
    case 'fail':
      for (let i = 0; i < each.times; i++) server.fail(each.verb, each.failure);
      break;
    case 'lag':
      server.lag(each.seconds * 1_000);
      break;
    case 'silence':
      server.silence(each.silent);
      break;
    case 'break watches':
      server.breakWatches(each.how);
      break;
    case 'poison':
      server.poison();
      break;
    case 'half open':
      server.halfOpen();
      break;
    case 'compact':
      server.compact();
      break;
    case 'repeat':
      server.repeat(3);
      break;
    case 'bookmark':
      server.bookmark();
      break;
    case 'restore':
      server.restore(2);
      // Whoever looks sees that the server is behind what it has shown.
      server.heal();
      await clock.advance(boundMs);
  }
  await clock.advance(0);
}

function comparison(
  make: (server: FaultyServer, clock: VirtualClock, seed: number) => Subject,
): fc.IAsyncProperty<[Step[], boolean, number]> {
  return fc.asyncProperty(
    fc.array(step, { minLength: 3, maxLength: 25 }),
    fc.boolean(),
    fc.nat(1_000_000),
    async (steps, streamsLists, seed) => {
      const clock = new VirtualClock();
      const server = new FaultyServer(clock);
      server.streamsLists = streamsLists;
      const stop = new AbortController();
      const minute = (): void => {
        server.pump();
        server.bookmark();
        clock.setTimer(60_000, minute);
      };
      clock.setTimer(60_000, minute);
      try {
        const subject = make(server, clock, seed);
        subject.run(stop.signal);
        for (const each of steps) {
          await act(server, clock, each);
          // Silence beyond the bound is never taken for freshness.
          if (clock.monotonic() - server.contactMs > boundMs) expect(subject.fault()).toBeDefined();
        }
        server.heal();
        await clock.advance(boundMs);
        const wanted = [...server.state].map(([name, { metadata }]) => [
          name,
          idOf(metadata.uid, metadata.resourceVersion),
        ]);
        expect(new Map([...subject.state()].sort())).toEqual(new Map(wanted.sort() as [string, string][]));
        if (make === real) expect(subject.fault()).toBeUndefined();
      } finally {
        stop.abort();
        await clock.advance(0);
      }
    },
  );
}

describe('Reflector under faults', () => {
  it(
    'shows what the server has within the bound, and says so when it cannot know',
    async () => {
      await fc.assert(comparison(real), { numRuns: atScale(5_000) });
    },
    atScale(120_000),
  );

  it.each<Flaw>(['trusts every connection', 'resumes without a version', 'ends at an error', 'resumes after 410'])(
    'does not with one that %s',
    async (flaw) => {
      const { failed, numRuns } = await fc.check(comparison(naive(flaw)), { numRuns: 500 });
      expect(failed, `not noticed in ${numRuns} runs`).toBe(true);
    },
    60_000,
  );
});
