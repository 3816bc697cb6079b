import { VirtualClock } from '@kubewright/apimachinery';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runsAtScale } from '../testdata/model-scale.ts';
import { type Command, command, type Flaw, maxOvertakes, QueueModel } from '../testdata/work-queue-model.ts';
import { WorkQueue } from './work-queue.ts';

/** The operations that the guarantees refer to; implemented by the real queue and by naive queues. */
interface Queue {
  add(key: string, priority: number): void;
  requeueAfter(key: string, delayMs: number | undefined): void;
  /** Resolves with undefined if nothing is ready. */
  get(): Promise<string | undefined>;
  done(key: string): void;
  advance(ms: number): Promise<void>;
}

function realQueue(): Queue {
  const clock = new VirtualClock();
  const queue = new WorkQueue({ clock, maxOvertakes });
  return {
    add: (key, priority) => queue.add(key, { priority }),
    requeueAfter: (key, delayMs) => queue.requeueAfter(key, delayMs === undefined ? undefined : { delayMs }),
    get: async () => (queue.length === 0 ? undefined : (await queue.get())?.key),
    done: (key) => queue.done(key),
    advance: (ms) => clock.advance(ms),
  };
}

function naiveQueue(flaw: Flaw): Queue {
  const model = new QueueModel(flaw);
  return {
    add: (key, priority) => model.add(key, priority),
    requeueAfter(key, delayMs) {
      model.clear(key, 'requeue');
      if (delayMs !== undefined) model.wait(key, 'requeue', { delayMs, priority: 0 });
    },
    get: async () => model.get(),
    done: (key) => model.done(key),
    advance: async (ms) => model.advance(ms),
  };
}

/** Observes only which keys are requested and handed out, and throws when a guarantee is broken. */
class Witness {
  readonly #queue: Queue;
  #now = 0;
  readonly #worked = new Set<string>();
  readonly #lastAsked = new Map<string, number>();
  readonly #lastCame = new Map<string, number>();
  readonly #polls = new Map<string, number>();
  /** Keys that are waiting but not being worked on, with the highest priority requested for each and the start of its wait. */
  readonly #waiting = new Map<string, Wait>();
  /** Keys requested while being worked on, with the priority. */
  readonly #meanwhile = new Map<string, number>();
  /** Number of keys in a row that overtook the key that has waited longest. */
  #overtakes = 0;
  /** Number of keys handed out since a key was last handed out ahead of a more urgent waiting key. */
  #sinceYield = Number.POSITIVE_INFINITY;
  /** Timers that have fired and have not been replaced since. */
  readonly #fired = new Set<string>();
  #step = 0;

  constructor(queue: Queue) {
    this.#queue = queue;
  }

  async do(each: Command): Promise<void> {
    this.#step++;
    if (each.type === 'add') {
      this.#lastAsked.set(each.key, this.#step);
      this.#asked(each.key, { priority: each.priority, since: this.#now });
      this.#queue.add(each.key, each.priority);
    } else if (each.type === 'requeue') {
      this.#polls.delete(each.key);
      this.#fired.delete(each.key);
      if (each.delayMs !== undefined) this.#polls.set(each.key, this.#now + each.delayMs);
      this.#queue.requeueAfter(each.key, each.delayMs);
    } else if (each.type === 'get') await this.take();
    else if (each.type === 'done') this.finish([...this.#worked][each.pick]);
    else if (each.type === 'advance') {
      await this.#queue.advance(each.ms);
      this.#now += each.ms;
      for (const [key, due] of this.#polls) {
        if (due > this.#now || this.#fired.has(key)) continue;
        this.#fired.add(key);
        this.#asked(key, { priority: 0, since: due });
      }
    }
  }

  /** Records a request. A key that is requested while a worker holds it starts to wait once the worker is done. */
  #asked(key: string, { priority, since }: Omit<Wait, 'step'>): void {
    if (this.#worked.has(key)) {
      this.#meanwhile.set(key, Math.max(priority, this.#meanwhile.get(key) ?? priority));
      return;
    }
    const before = this.#waiting.get(key);
    if (before) this.#waiting.set(key, { ...before, priority: Math.max(priority, before.priority) });
    else this.#waiting.set(key, { priority, since, step: this.#step });
  }

  async take(): Promise<string | undefined> {
    const key = await this.#queue.get();
    if (key === undefined) return undefined;
    if (this.#worked.has(key)) throw new Error(`${key} was handed to two workers`);
    this.#checkOrder(key);
    this.#worked.add(key);
    this.#waiting.delete(key);
    this.#lastCame.set(key, ++this.#step);
    const due = this.#polls.get(key);
    if (due !== undefined && due <= this.#now) this.#polls.delete(key);
    return key;
  }

  finish(key: string | undefined): void {
    if (key === undefined) return;
    this.#worked.delete(key);
    this.#queue.done(key);
    const priority = this.#meanwhile.get(key);
    this.#meanwhile.delete(key);
    if (priority !== undefined) this.#asked(key, { priority, since: this.#now });
  }

  /** Stops requesting keys, and checks that all requested keys are handed out. */
  async drain(): Promise<void> {
    for (const key of [...this.#worked]) this.finish(key);
    await this.do({ type: 'advance', ms: 1_000_000 });
    for (let key = await this.take(); key !== undefined; key = await this.take()) this.finish(key);
    for (const [key, asked] of this.#lastAsked)
      if ((this.#lastCame.get(key) ?? 0) < asked) throw new Error(`${key} was requested and did not arrive`);
    for (const key of this.#polls.keys()) throw new Error(`the requeueAfter of ${key} was lost`);
  }

  /**
   * Checks that the key that has waited longest is overtaken at most {@link maxOvertakes} times in a row, and that at most one of
   * `maxOvertakes + 1` keys in a row is handed out while a more urgent key waits.
   */
  #checkOrder(came: string): void {
    const own = this.#waiting.get(came);
    if (!own) return;
    const others = [...this.#waiting].filter(([key]) => key !== came).map(([, wait]) => wait);
    this.#overtakes = others.some((other) => isOlder(other, own)) ? this.#overtakes + 1 : 0;
    if (this.#overtakes > maxOvertakes) throw new Error(`what waited longest starves behind ${came}`);
    if (others.some((other) => other.priority > own.priority)) {
      if (this.#sinceYield < maxOvertakes) throw new Error(`${came} came before more urgent keys too often`);
      this.#sinceYield = 0;
    } else this.#sinceYield++;
  }
}

/** The start of a key's wait: the time and, for equal times, the step. */
interface Wait {
  readonly priority: number;
  readonly since: number;
  readonly step: number;
}

/**
 * Reports whether one key has definitely waited longer than another key; timers that fall due in one step may fire in
 * any order.
 */
function isOlder(a: Wait, b: Wait): boolean {
  return a.step !== b.step && (a.since < b.since || (a.since === b.since && a.step < b.step));
}

const commands = fc.array(command, { maxLength: 50 });

function promises(make: () => Queue): fc.IAsyncProperty<[Command[]]> {
  return fc.asyncProperty(commands, async (each) => {
    const witness = new Witness(make());
    for (const one of each) await witness.do(one);
    await witness.drain();
  });
}

// The checks do not cover the backoff of failures, which the comparison with the model covers.
describe('the guarantees of WorkQueue', () => {
  it('hold: one worker per key, no key lost, no timer erased, no starvation, priority respected', async () => {
    await fc.assert(promises(realQueue), { numRuns: runsAtScale(20_000) });
  }, 60_000);

  // One fault may break several guarantees, which are found in random order.
  it.each<Flaw>([
    'hands a key to two workers',
    'drops keys added during work',
    'never ages',
    'lets age override priority',
    'add cancels the timer',
    'loses its age when raised',
  ])(
    'are broken by a queue that %s',
    async (flaw) => {
      const outcome = await fc.check(
        promises(() => naiveQueue(flaw)),
        { numRuns: 20_000 },
      );
      expect(outcome.failed).toBe(true);
      expect(String(outcome.errorInstance)).toMatch(/two workers|did not arrive|was lost|starves|too often/);
    },
    60_000,
  );
});
