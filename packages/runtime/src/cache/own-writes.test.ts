import { type KubernetesObject, VirtualClock } from '@kubewright/apimachinery';
import { describe, expect, it } from 'vitest';
import { OwnWrites } from './own-writes.ts';

const key = { namespace: 'default', name: 'a' };

const put = (
  writes: OwnWrites<KubernetesObject>,
  written: KubernetesObject,
  stored?: { readonly uid: string; readonly resourceVersion: string },
): void => writes.wrote(written, { stored, inScope: true });

function object(resourceVersion: string, uid = 'u1', name = 'a'): KubernetesObject {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace: 'default', name, uid, resourceVersion } };
}

describe('OwnWrites', () => {
  it('returns the written version until the watch has reached it, however long that takes', async () => {
    const clock = new VirtualClock();
    const writes = new OwnWrites<KubernetesObject>(clock);
    const stored = { uid: 'u1', resourceVersion: '9' };
    writes.caughtUp('9');
    put(writes, object('12'), stored);
    await clock.advance(60_000);
    expect(writes.newest(key, stored)?.resourceVersion).toBe('12');
    writes.caughtUp('11');
    expect(writes.newest(key, stored)?.resourceVersion).toBe('12');
    writes.caughtUp('12');
    expect(writes.size).toBe(0);
  });

  it('drops an object created and deleted while the watch was down', () => {
    const writes = new OwnWrites<KubernetesObject>(new VirtualClock());
    put(writes, object('5'));
    expect(writes.newest(key, undefined)?.uid).toBe('u1');
    // The next list does not contain the object.
    writes.caughtUp('8');
    expect(writes.newest(key, undefined)).toBeUndefined();
  });

  it("does not resurrect an object deleted before the write's response arrived", () => {
    const writes = new OwnWrites<KubernetesObject>(new VirtualClock());
    writes.caughtUp('6');
    put(writes, object('5'));
    expect(writes.newest(key, undefined)).toBeUndefined();
    put(writes, object('7'));
    writes.deleted(key, { uid: 'u1', stored: undefined });
    put(writes, object('7'));
    expect(writes.newest(key, undefined)).toBeUndefined();
  });

  it('hides a deleted object but not its successor of the same name', () => {
    const writes = new OwnWrites<KubernetesObject>(new VirtualClock());
    const stored = { uid: 'u1', resourceVersion: '5' };
    writes.deleted(key, { uid: 'u1', stored });
    expect(writes.newest(key, stored)).toBeUndefined();
    put(writes, object('8', 'u2'), stored);
    expect(writes.newest(key, stored)?.uid).toBe('u2');
    writes.seen(key, { removed: { uid: 'u1', resourceVersion: '7' } });
    expect(writes.newest(key, undefined)?.uid).toBe('u2');
    writes.seen(key, { stored: { uid: 'u2', resourceVersion: '8' } });
    expect(writes.size).toBe(0);
  });

  it('hides all objects of one name that were deleted in succession', () => {
    const writes = new OwnWrites<KubernetesObject>(new VirtualClock());
    const stored = { uid: 'u1', resourceVersion: '5' };
    writes.deleted(key, { uid: 'u1', stored });
    put(writes, object('8', 'u2'), stored);
    writes.deleted(key, { uid: 'u2', stored });
    // The watch still shows the first object.
    expect(writes.newest(key, stored)).toBeUndefined();
    expect(writes.newest(key, { uid: 'u2', resourceVersion: '8' })).toBeUndefined();
    writes.seen(key, { removed: { uid: 'u1', resourceVersion: '7' } });
    writes.seen(key, { removed: { uid: 'u2', resourceVersion: '9' } });
    expect(writes.size).toBe(0);
  });

  it('hides an object deleted before the watch ever showed it, and eventually forgets the deletion', async () => {
    const clock = new VirtualClock();
    const writes = new OwnWrites<KubernetesObject>(clock);
    writes.deleted(key, { uid: 'u1', stored: undefined });
    expect(writes.newest(key, { uid: 'u1', resourceVersion: '5' })).toBeUndefined();
    // Time without a watch does not count, because the server could not show the deletion.
    await clock.advance(3_600_000);
    expect(writes.isOutside(key)).toBe(false);
    put(writes, object('9', 'u9'));
    expect(writes.size).toBe(2);
    writes.watching(true);
    await clock.advance(600_001);
    put(writes, object('10', 'u9'));
    expect(writes.size).toBe(1);
  });

  it('keeps nothing of deletions that the watch showed before their response', () => {
    const writes = new OwnWrites<KubernetesObject>(new VirtualClock());
    for (let i = 0; i < 1_000; i++) {
      using _deleting = writes.deleting();
      writes.seen(key, { removed: { uid: `u${i}`, resourceVersion: '5' } });
      writes.deleted(key, { uid: `u${i}`, stored: undefined });
    }
    expect(writes.size).toBe(0);
  });

  it('keeps the higher version when responses arrive out of order', () => {
    const writes = new OwnWrites<KubernetesObject>(new VirtualClock());
    put(writes, object('8', 'u2'));
    put(writes, object('6', 'u1'));
    expect(writes.newest(key, undefined)?.resourceVersion).toBe('8');
  });

  it('drops entries missing from the newest list and keeps later writes', async () => {
    const clock = new VirtualClock();
    const writes = new OwnWrites<KubernetesObject>(clock);
    writes.watching(true);
    put(writes, object('8', 'u1', 'a'));
    await clock.advance(1_000_000);
    const begunMs = clock.monotonic();
    put(writes, object('9', 'u2', 'b'));
    expect(writes.size).toBe(2);
    writes.lost(begunMs);
    expect([...writes.pending()].map(({ name }) => name)).toEqual(['b']);
  });

  it('treats objects with unordered versions as uncertain for a bounded time', async () => {
    const clock = new VirtualClock();
    const writes = new OwnWrites<KubernetesObject>(clock);
    put(writes, object('opaque'));
    expect(writes.isUncertain(key)).toBe(true);
    expect(writes.uncertainKeys('default')).toEqual([key]);
    expect(writes.uncertainKeys('other')).toEqual([]);
    for (let i = 0; i < 2; i++) {
      writes.watching(true);
      await clock.advance(75_001);
      expect(writes.isUncertain(key)).toBe(i === 0);
      writes.watching(false);
      await clock.advance(3_600_000);
    }
  });

  it('resolves an uncertain deletion from watch events', () => {
    const version = { uid: 'u1', resourceVersion: '5' };
    const deletionTimestamp = '2026-01-01T00:00:00Z';
    const isSettled = (report: (writes: OwnWrites<KubernetesObject>) => void, isWhole = true): boolean => {
      const writes = new OwnWrites<KubernetesObject>(new VirtualClock(), { isWhole });
      writes.uncertainDeletion(key, { version, stored: version });
      report(writes);
      return !writes.isUncertain(key);
    };
    expect(isSettled((writes) => writes.seen(key, { removed: { uid: 'u1', resourceVersion: '6' } }))).toBe(true);
    expect(isSettled((writes) => writes.seen(key, { stored: { uid: 'u2', resourceVersion: '7' } }))).toBe(true);
    expect(
      isSettled((writes) => writes.seen(key, { stored: { uid: 'u1', resourceVersion: '6', deletionTimestamp } })),
    ).toBe(true);
    // None of these resolves the deletion: an earlier write, an earlier object of the same name, an object that left
    // the selector.
    expect(isSettled((writes) => writes.seen(key, { stored: { uid: 'u1', resourceVersion: '6' } }))).toBe(false);
    expect(isSettled((writes) => writes.seen(key, { removed: { uid: 'u0', resourceVersion: '4' } }))).toBe(false);
    expect(isSettled((writes) => writes.seen(key, { removed: { uid: 'u1', resourceVersion: '6' } }), false)).toBe(
      false,
    );
  });

  it('is uncertain about a write in another version of the API until the watch has shown it', () => {
    const written = (resourceVersion: string) => ({ uid: 'u1', resourceVersion });
    const stored = written('4');
    const writes = new OwnWrites<KubernetesObject>(new VirtualClock());
    writes.wroteConverted(key, { version: written('6'), stored });
    writes.wroteConverted(key, { version: written('5'), stored });
    writes.seen(key, { stored: written('5') });
    expect(writes.isUncertain(key)).toBe(true);
    writes.seen(key, { stored: written('6') });
    expect(writes.isUncertain(key)).toBe(false);

    writes.wroteConverted(key, { version: written('6'), stored: written('6') });
    writes.caughtUp('8');
    writes.wroteConverted(key, { version: written('7'), stored });
    expect(writes.isUncertain(key)).toBe(false);

    writes.wroteConverted(key, { version: written('9'), stored });
    writes.seen(key, { removed: written('10') });
    expect(writes.isUncertain(key)).toBe(false);

    // A write with an unknown outcome may take effect later.
    writes.uncertain(key);
    writes.wroteConverted(key, { version: written('11'), stored });
    writes.seen(key, { stored: written('11') });
    expect(writes.isUncertain(key)).toBe(true);
  });

  it('is certain of a deletion that the watch showed before its response', () => {
    const writes = new OwnWrites<KubernetesObject>(new VirtualClock());
    const deleting = writes.deleting();
    writes.seen(key, { removed: { uid: 'u1', resourceVersion: '6' } });
    writes.uncertainDeletion(key, { version: { uid: 'u1', resourceVersion: '5' }, stored: undefined });
    deleting[Symbol.dispose]();
    expect(writes.isUncertain(key)).toBe(false);
  });

  it('hides an object that left the selector until the watch confirms it, and remembers that it is outside', () => {
    const writes = new OwnWrites<KubernetesObject>(new VirtualClock());
    const stored = { uid: 'u1', resourceVersion: '5' };
    writes.wrote(object('8'), { stored, inScope: false });
    expect([writes.newest(key, stored), writes.awaited]).toEqual([undefined, undefined]);
    writes.caughtUp('8');
    expect([writes.size, writes.isOutside(key)]).toEqual([0, true]);
    writes.wrote(object('9'), { stored: undefined, inScope: true });
    expect([writes.newest(key, undefined)?.resourceVersion, writes.isOutside(key)]).toEqual(['9', false]);
  });

  it('treats an object as back inside only if the watch shows a version newer than its move outside', () => {
    const writes = new OwnWrites<KubernetesObject>(new VirtualClock());
    writes.wrote(object('8'), { stored: undefined, inScope: false });
    writes.caughtUp('8');
    // This list comes from an API server that lags.
    writes.seen(key, { stored: { uid: 'u1', resourceVersion: '7' } });
    writes.seen(key, { removed: { uid: 'u1', resourceVersion: '9' } });
    expect([writes.isOutside(key), writes.isExpecting]).toEqual([true, true]);
    writes.seen(key, { stored: { uid: 'u1', resourceVersion: '10' } });
    expect([writes.isOutside(key), writes.isExpecting]).toEqual([false, false]);
  });

  it('keeps an object outside when an older response arrives late', () => {
    const writes = new OwnWrites<KubernetesObject>(new VirtualClock());
    writes.wrote(object('8'), { stored: undefined, inScope: false });
    writes.caughtUp('8');
    writes.wrote(object('6'), { stored: undefined, inScope: true });
    expect(writes.isOutside(key)).toBe(true);
  });

  it('drops writes that a server restored from a backup no longer has', () => {
    const writes = new OwnWrites<KubernetesObject>(new VirtualClock());
    put(writes, object('900'));
    writes.caughtUp('500', true);
    expect(writes.newest(key, undefined)).toBeUndefined();
  });

  it('remembers that an object is outside the selector until the server reports it missing', async () => {
    const clock = new VirtualClock();
    const writes = new OwnWrites<KubernetesObject>(clock, { isWhole: false });
    writes.watching(true);
    writes.wrote(object('8'), { stored: undefined, inScope: false });
    await clock.advance(86_400_000);
    // A list of the newest state contains no object outside its selector.
    writes.lost(clock.monotonic());
    expect(writes.isOutside(key)).toBe(true);
    const before = writes.outsideVersion(key);
    writes.wrote(object('9'), { stored: undefined, inScope: false });
    writes.absent(key, before);
    expect(writes.isOutside(key)).toBe(true);
    writes.absent(key, writes.outsideVersion(key));
    expect(writes.isOutside(key)).toBe(false);
  });

  it('keeps the content of 10,000 writes; older writes are read live until the watch passes them', () => {
    const writes = new OwnWrites<KubernetesObject>(new VirtualClock());
    for (let i = 0; i < 10_002; i++) put(writes, object(String(1_000 + i), `u${i}`, `p${i}`));
    const stored = { uid: 'u0', resourceVersion: '999' };
    const first = { namespace: 'default', name: 'p0' };
    expect([...writes.pending()]).toHaveLength(9_002);
    expect(writes.isUncertain(first)).toBe(true);
    expect(writes.uncertainKeys('default')).toHaveLength(1_000);
    expect(writes.newest(first, stored)).toBe(stored);
    writes.caughtUp('1000');
    expect(writes.uncertainKeys('default')).toHaveLength(999);
    // A live read makes the object's state known again.
    put(writes, object('1001', 'u1', 'p1'));
    expect(writes.isUncertain({ namespace: 'default', name: 'p1' })).toBe(false);
    expect(writes.uncertainKeys('default')).toHaveLength(998);
    expect(writes.awaited).toBe('11001');
  });

  it('forgets writes beyond 100,000', () => {
    const writes = new OwnWrites<KubernetesObject>(new VirtualClock());
    for (let i = 0; i < 100_010; i++) put(writes, object(String(1_000_000 + i), `u${i}`, `p${i}`));
    expect(writes.size).toBe(90_010);
  });

  it('takes time proportional to the number of writes that the watch passes', () => {
    const costMs = (count: number): number => {
      const writes = new OwnWrites<KubernetesObject>(new VirtualClock());
      for (let i = 0; i < count; i++) put(writes, object(String(1_000_000 + i), `u${i}`, `p${i}`));
      const before = process.cpuUsage();
      for (let i = 0; i < count; i++) {
        const stored = { uid: `u${i}`, resourceVersion: String(1_000_000 + i) };
        writes.seen({ namespace: 'default', name: `p${i}` }, { stored });
        writes.caughtUp(stored.resourceVersion);
      }
      const { user, system } = process.cpuUsage(before);
      expect(writes.size).toBe(0);
      return (user + system) / 1_000;
    };
    costMs(2_000);
    const few = costMs(2_000);
    expect(costMs(20_000)).toBeLessThan(35 * few + 20);
  });

  it('does not freeze the response, which belongs to the caller', () => {
    const writes = new OwnWrites<KubernetesObject>(new VirtualClock());
    const answer = object('8');
    put(writes, answer);
    (answer.metadata as { name: string }).name = 'changed';
    expect(writes.newest(key, undefined)).toMatchObject({ name: 'a' });
  });
});
