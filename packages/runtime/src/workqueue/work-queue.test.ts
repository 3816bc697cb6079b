import { VirtualClock } from '@kubewright/apimachinery';
import { describe, expect, it } from 'vitest';
import { WorkQueue } from './work-queue.ts';

function setUp(): { clock: VirtualClock; queue: WorkQueue } {
  const clock = new VirtualClock();
  return { clock, queue: new WorkQueue({ clock }) };
}

describe('WorkQueue', () => {
  it('hands a key to one worker at a time, and again if it was added in the meantime', async () => {
    const { queue } = setUp();
    queue.add('a');
    queue.add('a');
    expect((await queue.get())?.key).toBe('a');
    queue.add('a');
    queue.add('a');
    expect(queue.length).toBe(0);
    queue.done('a');
    expect((await queue.get())?.key).toBe('a');
    queue.done('a');
    expect(queue.length).toBe(0);
  });

  it('hands out urgent keys first, and every tenth time the key that has waited longest', async () => {
    const { queue } = setUp();
    for (let i = 0; i < 3; i++) queue.add(`low-${i}`, { priority: -100 });
    const order: string[] = [];
    for (let i = 0; i < 35; i++) {
      queue.add(`urgent-${i}`);
      const key = (await queue.get())?.key ?? '';
      queue.done(key);
      order.push(key);
    }
    const low = order.flatMap((key, index) => (key.startsWith('low') ? [[key, index]] : []));
    expect(low).toEqual([
      ['low-0', 9],
      ['low-1', 19],
      ['low-2', 29],
    ]);
  });

  it('hands out a new urgent key next, no matter how long thousands of others have waited', async () => {
    const { clock, queue } = setUp();
    for (let i = 0; i < 5_000; i++) queue.add(`start-${i}`, { priority: -100 });
    for (let i = 0; i < 240; i++) {
      const item = await queue.get();
      await clock.advance(50);
      queue.done(item?.key ?? '');
    }
    queue.add('edit');
    expect((await queue.get())?.key).toBe('edit');
  });

  it('keeps the age of a key whose priority is raised', async () => {
    const { queue } = setUp();
    queue.add('raised', { priority: -100 });
    queue.add('other', { priority: -100 });
    for (let i = 0; i < 30; i++) queue.add(`urgent-${i}`);
    for (let i = 0; i < 5; i++) queue.done((await queue.get())?.key ?? '');
    queue.add('raised');
    const order: string[] = [];
    for (let i = 0; i < 10; i++) {
      const key = (await queue.get())?.key ?? '';
      queue.done(key);
      order.push(key);
    }
    expect(order.indexOf('raised')).toBe(4);
  });

  it("keeps a result's timer through earlier events until the next result", async () => {
    const { clock, queue } = setUp();
    queue.requeueAfter('a', { delayMs: 1_000 });
    queue.add('a');
    expect((await queue.get())?.key).toBe('a');
    queue.done('a');
    // No result replaced the timer, so it still fires.
    await clock.advance(1_000);
    expect((await queue.get())?.key).toBe('a');
    queue.requeueAfter('a', { delayMs: 500 });
    queue.done('a');
    queue.requeueAfter('a', undefined);
    await clock.advance(10_000);
    expect(queue.length).toBe(0);
    expect(clock.pendingTimers).toBe(0);
  });

  it('backs off from 5 ms to 1,000 s, and restarts after forget', async () => {
    const { clock, queue } = setUp();
    const waits: number[] = [];
    for (let i = 0; i < 20; i++) {
      queue.addRateLimited('a');
      const before = clock.monotonic();
      while (queue.length === 0) await clock.advanceToNext();
      waits.push(clock.monotonic() - before);
      await queue.get();
      queue.done('a');
    }
    expect(waits.slice(0, 4)).toEqual([5, 10, 20, 40]);
    expect(waits.at(-1)).toBe(1_000_000);
    queue.addRateLimited('a');
    queue.forget('a');
    await clock.advance(2_000_000);
    expect(queue.length).toBe(0);
    expect(queue.failures('a')).toBe(0);
  });

  it('drains on request, otherwise drops, and releases waiting workers', async () => {
    const { queue } = setUp();
    queue.add('a');
    queue.add('b');
    const first = await queue.get();
    queue.add('a');
    const drained = queue.shutDown({ drain: true });
    queue.add('c');
    queue.done(first?.key ?? '');
    expect((await queue.get())?.key).toBe('b');
    queue.done('b');
    expect((await queue.get())?.key).toBe('a');
    const waiting = queue.get();
    queue.done('a');
    expect(await waiting).toBeUndefined();
    await drained;

    const other = setUp().queue;
    const worker = other.get();
    other.add('x');
    expect((await worker)?.key).toBe('x');
    other.add('y');
    const stopped = other.shutDown();
    expect(await other.get()).toBeUndefined();
    other.done('x');
    await stopped;
  });

  it('takes time proportional to the number of keys, including raised ones', async () => {
    const costMs = async (count: number): Promise<number> => {
      const { queue } = setUp();
      const before = process.cpuUsage();
      for (let i = 0; i < count; i++) queue.add(`key-${i}`, { priority: (i % 3) - 3 });
      for (let i = 0; i < count; i += 2) queue.add(`key-${i}`, { priority: 0 });
      for (let i = 0; i < count; i++) queue.done((await queue.get())?.key ?? '');
      const { user, system } = process.cpuUsage(before);
      expect(queue.length).toBe(0);
      return (user + system) / 1_000;
    };
    await costMs(8_000);
    const few = await costMs(8_000);
    // With ten times as many keys, a quadratic cost would be a hundred times as high.
    expect(await costMs(80_000)).toBeLessThan(35 * few);
  });
});
