import { VirtualClock } from '@kubewright/apimachinery';
import { describe, expect, it } from 'vitest';
import { MemoryStorage } from './memory-storage.ts';
import { put, storageContract } from './storage.contract.ts';
import { StorageFullError } from './storage.ts';

storageContract('MemoryStorage', async (limits) => {
  const clock = new VirtualClock();
  return { clock, storage: new MemoryStorage({ clock, ...limits }) };
});

describe('MemoryStorage', () => {
  it('delivers all changes of one turn in one call', async () => {
    const storage = new MemoryStorage({ clock: new VirtualClock() });
    const calls: number[] = [];
    await storage.watch({ prefix: '/r/', fromRevision: 1 }, (changes) => calls.push(changes.length));
    await Promise.all([1, 2, 3].map((n) => storage.commit([put(`/r/${n}`, 'x')])));
    expect(calls).toEqual([3]);
  });

  it('drops history exactly when it reaches its maximum age', async () => {
    const clock = new VirtualClock();
    const storage = new MemoryStorage({ clock, historyMs: 1000 });
    await storage.commit([put('/r/x', '1')]);
    await storage.commit([put('/r/y', '1')]);
    await clock.advance(999);
    expect((await storage.list({ prefix: '/r/', revision: 2 })).objects).toHaveLength(1);
    await clock.advance(1);
    await expect(storage.list({ prefix: '/r/', revision: 2 })).rejects.toMatchObject({ compactedRevision: 3 });
  });

  it('leaves no timer behind once history is empty or the storage is closed', async () => {
    const clock = new VirtualClock();
    const storage = new MemoryStorage({ clock, historyMs: 1000 });
    await storage.commit([put('/r/x', '1')]);
    expect(clock.pendingTimers).toBe(1);
    await clock.advance(1000);
    expect(clock.pendingTimers).toBe(0);
    await storage.commit([put('/r/y', '1')]);
    await storage[Symbol.asyncDispose]();
    expect(clock.pendingTimers).toBe(0);
  });

  it('rejects writes that would exceed its size, until something is deleted', async () => {
    const storage = new MemoryStorage({ clock: new VirtualClock(), maxBytes: 100 });
    const { revision } = await storage.commit([put('/r/x', 'x'.repeat(60))]);
    await expect(storage.commit([put('/r/y', 'y'.repeat(60))])).rejects.toThrow(StorageFullError);
    expect(await storage.revision()).toBe(revision);
    const same = await storage.commit([put('/r/x', 'z'.repeat(60), revision)]);
    await expect(storage.commit([put('/r/x', 'x'.repeat(99), same.revision)])).rejects.toMatchObject({
      code: 'KW5006',
    });
    await storage.commit([{ key: '/r/x', expected: same.revision, bytes: undefined }]);
    await storage.commit([put('/r/y', 'y'.repeat(60))]);
  });

  it('starts at the given revision', async () => {
    const storage = new MemoryStorage({ clock: new VirtualClock(), initialRevision: 1000 });
    expect((await storage.commit([put('/r/x', '1')])).revision).toBe(1001);
  });
});
