import { VirtualClock } from '@kubewright/apimachinery';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { WorkQueue } from './work-queue.ts';

type Command =
  | { readonly type: 'add'; readonly key: string; readonly priority: number }
  | { readonly type: 'after'; readonly key: string; readonly delayMs: number }
  | { readonly type: 'retry'; readonly key: string }
  | { readonly type: 'requeue'; readonly key: string; readonly delayMs: number | undefined }
  | { readonly type: 'forget'; readonly key: string }
  | { readonly type: 'get' }
  | { readonly type: 'done'; readonly pick: number }
  | { readonly type: 'advance'; readonly ms: number };

/** What the queue must do, written down as plainly as possible; slow on purpose. */
class Model {
  now = 0;
  order = 0;
  ready: { key: string; priority: number; since: number; order: number }[] = [];
  dirty = new Map<string, number>();
  processing = new Set<string>();
  timers: { key: string; slot: string; due: number; order: number }[] = [];
  failures = new Map<string, number>();

  add(key: string, priority: number): void {
    if (this.processing.has(key)) {
      this.dirty.set(key, Math.max(priority, this.dirty.get(key) ?? priority));
      return;
    }
    const old = this.ready.find((each) => each.key === key);
    if (old && old.priority >= priority) return;
    this.ready = this.ready.filter((each) => each !== old);
    this.ready.push({ key, priority, since: this.now, order: this.order++ });
  }

  wait(key: string, slot: string, delayMs: number): void {
    const old = this.timers.find((each) => each.key === key && each.slot === slot);
    this.timers = this.timers.filter((each) => each !== old);
    this.timers.push({
      key,
      slot,
      due: Math.min(this.now + delayMs, old?.due ?? Number.POSITIVE_INFINITY),
      order: this.order++,
    });
  }

  clear(key: string, slot: string): void {
    this.timers = this.timers.filter((each) => each.key !== key || each.slot !== slot);
  }

  get(): string | undefined {
    const standing = (each: { priority: number; since: number }): number =>
      each.priority + Math.floor((this.now - each.since) / 100);
    const best = [...this.ready].sort((a, b) => standing(b) - standing(a) || a.order - b.order)[0];
    if (!best) return undefined;
    this.ready = this.ready.filter((each) => each !== best);
    this.processing.add(best.key);
    return best.key;
  }

  done(key: string): void {
    this.processing.delete(key);
    const priority = this.dirty.get(key);
    this.dirty.delete(key);
    if (priority !== undefined) this.add(key, priority);
  }

  advance(ms: number): void {
    const target = this.now + ms;
    for (;;) {
      const next = [...this.timers].sort((a, b) => a.due - b.due || a.order - b.order)[0];
      if (!next || next.due > target) break;
      this.now = Math.max(this.now, next.due);
      this.timers = this.timers.filter((each) => each !== next);
      this.add(next.key, 0);
    }
    this.now = target;
  }

  retry(key: string): void {
    const count = this.failures.get(key) ?? 0;
    this.failures.set(key, count + 1);
    this.wait(key, 'retry', Math.min(5 * 2 ** count, 1_000_000));
  }
}

const key = fc.constantFrom('a', 'b', 'c', 'd');
const command: fc.Arbitrary<Command> = fc.oneof(
  fc.record({ type: fc.constant('add' as const), key, priority: fc.constantFrom(-100, 0, 0, 0, 10) }),
  fc.record({ type: fc.constant('after' as const), key, delayMs: fc.integer({ min: -1, max: 300 }) }),
  fc.record({ type: fc.constant('retry' as const), key }),
  fc.record({
    type: fc.constant('requeue' as const),
    key,
    delayMs: fc.option(fc.integer({ min: 1, max: 300 }), { nil: undefined }),
  }),
  fc.record({ type: fc.constant('forget' as const), key }),
  fc.constant({ type: 'get' as const }),
  fc.constant({ type: 'get' as const }),
  fc.record({ type: fc.constant('done' as const), pick: fc.nat(3) }),
  fc.record({ type: fc.constant('advance' as const), ms: fc.integer({ min: 0, max: 400 }) }),
);

class Pair {
  readonly clock = new VirtualClock();
  readonly queue = new WorkQueue({ clock: this.clock });
  readonly model = new Model();

  async step(command: Command): Promise<void> {
    const { queue, model } = this;
    switch (command.type) {
      case 'add':
        queue.add(command.key, { priority: command.priority });
        return model.add(command.key, command.priority);
      case 'after':
        queue.addAfter(command.key, { delayMs: command.delayMs });
        return command.delayMs <= 0 ? model.add(command.key, 0) : model.wait(command.key, 'delayed', command.delayMs);
      case 'retry':
        queue.addRateLimited(command.key);
        return model.retry(command.key);
      case 'requeue':
        queue.requeueAfter(command.key, command.delayMs === undefined ? undefined : { delayMs: command.delayMs });
        model.clear(command.key, 'requeue');
        return command.delayMs === undefined ? undefined : model.wait(command.key, 'requeue', command.delayMs);
      case 'forget':
        queue.forget(command.key);
        model.failures.delete(command.key);
        return model.clear(command.key, 'retry');
      case 'get':
        return this.#get();
      case 'done': {
        const worked = [...model.processing][command.pick];
        if (worked === undefined) return;
        queue.done(worked);
        return model.done(worked);
      }
      case 'advance':
        await this.clock.advance(command.ms);
        return model.advance(command.ms);
    }
  }

  async #get(): Promise<void> {
    if (this.queue.length === 0) return expect(this.model.ready).toEqual([]);
    const item = await this.queue.get();
    expect(item?.key).toBe(this.model.get());
  }
}

describe('WorkQueue against its model', () => {
  it('hands out the same keys in the same order whatever is done to it', async () => {
    const property = fc.asyncProperty(fc.array(command, { maxLength: 60 }), async (commands) => {
      const pair = new Pair();
      for (const each of commands) {
        await pair.step(each);
        expect(pair.queue.length).toBe(pair.model.ready.length);
        for (const name of ['a', 'b', 'c', 'd'])
          expect(pair.queue.failures(name)).toBe(pair.model.failures.get(name) ?? 0);
      }
    });
    // On failure fast-check prints the seed and the path that replay it.
    await fc.assert(property, { numRuns: 300 });
  });
});
