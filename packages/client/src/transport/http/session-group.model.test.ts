import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type PooledSession, SessionGroup } from './session-group.ts';

/** A connection with a fixed number of slots. */
class Places implements PooledSession {
  readonly ready: Promise<void>;
  limit: number;
  active = 0;
  usable = true;

  constructor(limit: number, ready: Promise<void> = Promise.resolve()) {
    this.limit = limit;
    this.ready = ready;
  }

  get hasRoom(): boolean {
    return this.usable && this.active < this.limit;
  }

  reserve(): void {
    this.active++;
  }
}

interface Call {
  readonly stop: AbortController;
  place: Places | undefined;
  outcome: 'waiting' | 'has a place' | 'gave up' | 'failed';
}

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Simulates calls that start, end and are canceled, on connections that open, fail, receive limits and close. */
class World {
  readonly maxSessions = 2;
  readonly sessions = new Set<Places>();
  readonly calls: Call[] = [];
  readonly dialing: { readonly resolve: (limit: number) => void; readonly reject: () => void }[] = [];
  readonly group: SessionGroup<Places> = new SessionGroup<Places>({
    maxSessions: this.maxSessions,
    open: () =>
      new Promise((resolve, reject) => {
        this.dialing.push({
          resolve: (limit) => {
            const session = new Places(limit);
            this.sessions.add(session);
            this.group.add(session);
            resolve(session);
          },
          reject: () => reject(new Error('refused')),
        });
      }),
  });

  start(): void {
    const call: Call = { stop: new AbortController(), place: undefined, outcome: 'waiting' };
    this.calls.push(call);
    this.group.take(call.stop.signal).then(
      (place) => {
        call.place = place;
        call.outcome = 'has a place';
      },
      () => {
        call.outcome = call.stop.signal.aborted ? 'gave up' : 'failed';
      },
    );
  }

  end(call: Call): void {
    if (!call.place) return;
    call.place.active--;
    call.place = undefined;
    this.calls.splice(this.calls.indexOf(call), 1);
    this.group.onRelease();
  }

  close(session: Places): void {
    session.usable = false;
    this.sessions.delete(session);
    this.group.onChange(session);
  }

  setLimit(session: Places, limit: number): void {
    session.limit = limit;
    this.group.onChange(session);
  }

  /**
   * Checks that, once all promises have settled, calls wait only if every slot is taken or a connection is being
   * opened.
   */
  check(): void {
    const waiting = this.calls.filter(({ outcome }) => outcome === 'waiting').length;
    for (const call of this.calls) {
      if (call.stop.signal.aborted) expect(call.outcome).not.toBe('waiting');
    }
    if (waiting === 0 || this.dialing.length > 0) return;
    expect([...this.sessions].some((session) => session.hasRoom)).toBe(false);
    expect(this.sessions.size).toBe(this.maxSessions);
  }
}

type Step = (world: World, pick: number) => void;

const steps: Readonly<Record<string, Step>> = {
  start: (world) => world.start(),
  end: (world, pick) => {
    const running = world.calls.filter(({ outcome }) => outcome === 'has a place');
    const call = running[pick % running.length];
    if (call) world.end(call);
  },
  giveUp: (world, pick) => {
    const waiting = world.calls.filter(({ outcome, stop }) => outcome === 'waiting' && !stop.signal.aborted);
    waiting[pick % waiting.length]?.stop.abort(new Error('given up'));
  },
  dialed: (world, pick) => world.dialing.shift()?.resolve(1 + (pick % 3)),
  refused: (world) => world.dialing.shift()?.reject(),
  close: (world, pick) => {
    const session = [...world.sessions][pick % world.sessions.size];
    if (session) world.close(session);
  },
  limit: (world, pick) => {
    const session = [...world.sessions][pick % world.sessions.size];
    if (session) world.setLimit(session, pick % 4);
  },
};

describe('SessionGroup', () => {
  it('leaves no call waiting while a slot is free, however calls are canceled', async () => {
    const common = fc.constantFrom('start', 'start', 'end', 'giveUp', 'dialed');
    const rare = fc.constantFrom('refused', 'close', 'limit');
    const name = fc.oneof({ arbitrary: common, weight: 15 }, { arbitrary: rare, weight: 1 });
    const step = fc.record({ name, pick: fc.nat({ max: 11 }) });
    // All steps of a burst run before any promise settles.
    const bursts = fc.array(fc.array(step, { minLength: 1, maxLength: 4 }), { size: 'large', maxLength: 60 });
    await fc.assert(
      fc.asyncProperty(bursts, async (script) => {
        const world = new World();
        for (const burst of script) {
          for (const { name, pick } of burst) steps[name]?.(world, pick);
          await settled();
          world.check();
        }
      }),
      { verbose: 1, numRuns: 300 },
    );
  });

  it('serves calls in order of arrival, skipping canceled calls', async () => {
    const world = new World();
    for (let i = 0; i < 8; i++) world.start();
    for (let i = 0; i < 2; i++) {
      await settled();
      world.dialing.shift()?.resolve(1);
    }
    await settled();
    const [first, second, third, fourth, fifth] = world.calls;
    if (!first || !second || !third || !fourth || !fifth) throw new Error('there are eight calls');
    third.stop.abort();
    await settled();
    world.end(first);
    // The fourth call has been woken, but is canceled before it can run.
    fourth.stop.abort();
    await settled();
    expect([third, fourth, fifth].map(({ outcome }) => outcome)).toEqual(['gave up', 'gave up', 'has a place']);
  });
});
