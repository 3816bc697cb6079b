import { VirtualClock } from '@kubewright/apimachinery';
import { describe, expect, it } from 'vitest';
import { WorkQueue } from './work-queue.ts';

function setUp(): { clock: VirtualClock; queue: WorkQueue } {
  const clock = new VirtualClock();
  return { clock, queue: new WorkQueue({ clock }) };
}

describe('WorkQueue', () => {
  it('hands a key to one worker at a time and once more if it was added meanwhile', async () => {
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

  it('hands urgent keys out first but lets nothing starve', async () => {
    const { clock, queue } = setUp();
    queue.add('old', { priority: -100 });
    let handed = 0;
    for (let i = 0; i < 200; i++) {
      queue.add(`new-${i}`);
      const item = await queue.get();
      queue.done(item?.key ?? '');
      handed++;
      if (item?.key === 'old') break;
      await clock.advance(100);
    }
    expect(handed).toBeGreaterThan(50);
    expect(handed).toBeLessThan(110);
  });

  it("keeps a result's timer through earlier events until the next result", async () => {
    const { clock, queue } = setUp();
    queue.requeueAfter('a', { delayMs: 1_000 });
    queue.add('a');
    expect((await queue.get())?.key).toBe('a');
    queue.done('a');
    // No result replaced it: it still fires.
    await clock.advance(1_000);
    expect((await queue.get())?.key).toBe('a');
    queue.requeueAfter('a', { delayMs: 500 });
    queue.done('a');
    queue.requeueAfter('a', undefined);
    await clock.advance(10_000);
    expect(queue.length).toBe(0);
    expect(clock.pendingTimers).toBe(0);
  });

  it('backs off from 5 ms to 1,000 s and starts anew when told to forget', async () => {
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

  it('drains when asked to, drops otherwise, and lets waiting workers go', async () => {
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

  it('takes a hundred thousand keys in reasonable time', async () => {
    const { queue } = setUp();
    for (let i = 0; i < 100_000; i++) queue.add(`key-${i}`, { priority: i % 3 });
    for (let i = 0; i < 100_000; i++) queue.done((await queue.get())?.key ?? '');
    expect(queue.length).toBe(0);
  });
});
