import { VirtualClock } from '@kubewright/apimachinery';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runsAtScale, timeoutAtScale } from '../testdata/model-scale.ts';
import { type Broken, type Cut, type Failure, FaultyServer } from './testdata/faulty-server.ts';
import { type Flaw, idOf, naive, real, type Subject } from './testdata/subjects.ts';

// Checks a cache against a model of a server with history, under a virtual clock, with writes of this process. Not
// covered: a server that omits events from a watch that it reports as complete, and a server that is restored from a
// backup and passes its old version before the cache checks it.

const names = ['a', 'b', 'c'];
/**
 * The guarantee: at most this long after a fault has ended, the cache shows the server's state. Watches may keep
 * failing in any way as long as lists succeed. It takes 150 s to detect a connection that died silently, another 150 s
 * to detect a watch without a response, and up to 30 s until the list starts.
 */
const boundMs = 360_000;

type Step =
  | { readonly type: 'put' | 'delete' | 'write'; readonly name: number }
  | { readonly type: 'wait'; readonly seconds: number }
  | { readonly type: 'cut'; readonly how: Cut }
  | { readonly type: 'fail'; readonly verb: 'list' | 'watch'; readonly failure: Failure; readonly times: number }
  | { readonly type: 'lag'; readonly seconds: number }
  | { readonly type: 'silence'; readonly silent: boolean }
  | { readonly type: 'break watches'; readonly how: Broken | undefined }
  | { readonly type: 'poison' }
  | { readonly type: 'down'; readonly isDown: boolean }
  | { readonly type: 'half open' | 'compact' | 'repeat' | 'restore' | 'bookmark' };

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      type: fc.constantFrom('put' as const, 'write' as const, 'write' as const, 'delete' as const),
      name: fc.nat(2),
    }),
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
        'ends immediately',
        'unanswered',
        undefined,
      ),
    }),
  },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('poison' as const) }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('down' as const), isDown: fc.boolean() }) },
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

/** Versions of this process's writes, from the responses, by object name. */
type Own = Map<string, number>;

interface Parts {
  readonly server: FaultyServer;
  readonly clock: VirtualClock;
  readonly subject: Subject;
  readonly own: Own;
}

/** Advances the clock, and checks at each step that no read is older than this process's own writes. */
async function pass(parts: Parts, ms: number): Promise<void> {
  const { clock, server, subject, own } = parts;
  for (let left = ms; left >= 0; left -= 10_000) {
    await clock.advance(Math.min(left, 10_000));
    if (!subject.read) continue;
    for (const [name, version] of own) {
      const shown = subject.read(name);
      const isNewer = shown === undefined ? server.lacked(name, version) : Number(shown) >= version;
      if (!isNewer) throw new Error(`read ${name} at ${shown}, but wrote it at ${version}`);
    }
  }
}

async function act(parts: Parts, each: Step): Promise<void> {
  const { server, subject, own } = parts;
  switch (each.type) {
    case 'put':
      server.put(names[each.name]!);
      break;
    case 'write': {
      const name = names[each.name]!;
      server.put(name);
      subject.wrote?.(server.state.get(name)!);
      own.set(name, server.version);
      break;
    }
    case 'delete':
      server.delete(names[each.name]!);
      break;
    case 'wait':
      await pass(parts, each.seconds * 1_000);
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
    case 'down':
      server.down(each.isDown);
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
      // Every client can see that the server is behind a version that it has already shown.
      server.heal();
      own.clear();
      await pass(parts, boundMs);
  }
  await pass(parts, 0);
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
        const parts = { server, clock, subject, own: new Map<string, number>() };
        for (const each of steps) {
          await act(parts, each);
          // A cache never counts as fresh if the server has been silent for longer than the bound.
          if (clock.monotonic() - server.contactMs > boundMs) expect(subject.fault()).toBeDefined();
        }
        server.heal();
        await pass(parts, boundMs);
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
    "shows the server's state within the bound, and reports when it cannot know it",
    async () => {
      await fc.assert(comparison(real), { numRuns: runsAtScale(10_000) });
    },
    timeoutAtScale(240_000),
  );

  it.each<Flaw>(['trusts every connection', 'resumes without a version', 'ends at an error', 'resumes after 410'])(
    'detects a flawed implementation that %s',
    async (flaw) => {
      const { failed, numRuns } = await fc.check(comparison(naive(flaw)), { numRuns: 500 });
      expect(failed, `not noticed in ${numRuns} runs`).toBe(true);
    },
    60_000,
  );
});
