import {
  isGone,
  type Kind,
  type KubernetesObject,
  StatusError,
  seededRandom,
  sleep,
  VirtualClock,
} from '@kubewright/apimachinery';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Informer } from '../cache/informer.ts';
import type { ObjectEvent } from '../handler/events.ts';
import { silentLogger } from '../log/silent-logger.ts';
import { type Cut, type Failure, FaultyServer } from './testdata/faulty-server.ts';

// A reflector against a model of a server with history, under a virtual clock. Not caught: a server that leaves events out
// of a watch that it calls complete, or one that is restored from a backup and passes its old version before anybody looks.

const Thing: Kind<KubernetesObject> = {
  group: '',
  version: 'v1',
  kind: 'Thing',
  plural: 'things',
  scope: 'Namespaced',
};
const names = ['a', 'b', 'c'];
/** What is stated: whatever went wrong, this long after it is over the cache shows what the server has. */
const boundMs = 300_000;

type Step =
  | { readonly type: 'put' | 'delete'; readonly name: number }
  | { readonly type: 'wait'; readonly seconds: number }
  | { readonly type: 'cut'; readonly how: Cut }
  | { readonly type: 'fail'; readonly verb: 'list' | 'watch'; readonly failure: Failure; readonly times: number }
  | { readonly type: 'lag'; readonly seconds: number }
  | { readonly type: 'silence'; readonly silent: boolean }
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

/** Something that follows the server and tells what it thinks is there. */
interface Subject {
  run(signal: AbortSignal): void;
  state(): ReadonlyMap<string, string>;
  /** Undefined when it thinks that it is up to date. */
  fault(): string | undefined;
}

const idOf = (uid: string | undefined, version: string | undefined): string => `${uid}@${version}`;

/** The runtime's own; what its handlers are told must add up to what it shows. */
function real(server: FaultyServer, clock: VirtualClock, seed: number): Subject {
  const parts = { kind: Thing, listWatcher: server, clock, random: seededRandom(seed), log: silentLogger };
  const informer = new Informer<KubernetesObject>({ ...parts, resyncMs: 0 });
  const told = new Map<string, string>();
  const faults: string[] = [];
  informer.subscribe((event) => tell(event, { told, faults }));
  const shown = (): ReadonlyMap<string, string> =>
    new Map(informer.lister.views().map((view) => [view.name, idOf(view.uid, view.resourceVersion)]));
  return {
    run: (signal) => void informer.run(signal),
    state: () => {
      expect(faults).toEqual([]);
      expect(told).toEqual(shown());
      return shown();
    },
    fault: () => informer.fault,
  };
}

function tell(
  event: ObjectEvent<KubernetesObject>,
  to: { readonly told: Map<string, string>; readonly faults: string[] },
): void {
  const { name, uid, resourceVersion } = event.object;
  const before = to.told.get(name);
  if (event.type === 'create' && before !== undefined) to.faults.push(`created twice: ${name}`);
  if (event.type === 'update' && before !== idOf(uid, event.old.resourceVersion))
    to.faults.push(`update of another: ${name}`);
  if (event.type === 'delete' && !before?.startsWith(`${uid}@`)) to.faults.push(`delete of another: ${name}`);
  if (event.type === 'delete') to.told.delete(name);
  else to.told.set(name, idOf(uid, resourceVersion));
}

type Flaw = 'trusts every connection' | 'resumes without a version' | 'ends at an error' | 'resumes after 410';

/** A reflector as peers have it: lists, watches, and begins again in one way or another. */
function naive(flaw: Flaw): (server: FaultyServer, clock: VirtualClock) => Subject {
  return (server, clock) => {
    const state = new Map<string, string>();
    let version = '';
    const apply = (text: string): void => {
      for (const each of text.split('\n').filter((part) => part !== '')) {
        const { type, object } = JSON.parse(each) as { type: string; object: KubernetesObject };
        if (type === 'ERROR') throw new StatusError(object as never);
        const { name = '', uid, resourceVersion = '' } = object.metadata;
        if (type === 'DELETED') state.delete(name);
        else if (type !== 'BOOKMARK') state.set(name, idOf(uid, resourceVersion));
        version = resourceVersion;
      }
    };
    const list = async (): Promise<void> => {
      let text = '';
      const { body } = await server.list({});
      for await (const chunk of body) text += Buffer.from(chunk).toString();
      const parsed = JSON.parse(text) as { metadata: { resourceVersion: string }; items: KubernetesObject[] };
      state.clear();
      for (const { metadata } of parsed.items) state.set(metadata.name!, idOf(metadata.uid, metadata.resourceVersion));
      version = parsed.metadata.resourceVersion;
    };
    const watch = async (signal: AbortSignal): Promise<void> => {
      const resume = flaw === 'resumes without a version' ? {} : { resourceVersion: version };
      const initial = flaw === 'resumes without a version' ? { sendInitialEvents: true } : {};
      const { body } = await server.watch({ ...resume, ...initial, allowWatchBookmarks: true, signal });
      for await (const chunk of body) apply(Buffer.from(chunk).toString());
    };
    return {
      run: (signal) => void follow({ list, watch, signal, clock, flaw }),
      state: () => state,
      fault: () => 'does not know',
    };
  };
}

async function follow(parts: {
  readonly list: () => Promise<void>;
  readonly watch: (signal: AbortSignal) => Promise<void>;
  readonly signal: AbortSignal;
  readonly clock: VirtualClock;
  readonly flaw: Flaw;
}): Promise<void> {
  const { list, watch, signal, clock, flaw } = parts;
  let listed = false;
  while (!signal.aborted) {
    try {
      if (!listed) await list();
      listed = true;
      await watch(signal);
    } catch (error) {
      if (flaw === 'ends at an error') return;
      if (flaw !== 'resumes without a version' && (flaw !== 'resumes after 410' || !isGone(error))) listed = false;
    }
    await sleep(clock, { ms: 1_000, signal }).catch(() => {});
  }
}

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
  it('shows what the server has within the bound, and says so when it cannot know', async () => {
    await fc.assert(comparison(real), { numRuns: 600 });
  }, 60_000);

  it.each<Flaw>(['trusts every connection', 'resumes without a version', 'ends at an error', 'resumes after 410'])(
    'does not with one that %s',
    async (flaw) => {
      const { failed, numRuns } = await fc.check(comparison(naive(flaw)), { numRuns: 500 });
      expect(failed, `not noticed in ${numRuns} runs`).toBe(true);
    },
    60_000,
  );
});
