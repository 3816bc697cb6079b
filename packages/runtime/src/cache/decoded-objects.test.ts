import { beforeEach, describe, expect, it } from 'vitest';
import { type DecodedKey, DecodedObjects } from './decoded-objects.ts';

describe('DecodedObjects', () => {
  interface Entry extends DecodedKey {
    readonly index: number;
  }
  let entries: readonly Entry[];
  beforeEach(() => {
    entries = Array.from({ length: 1_000 }, (_, index) => ({ index, isDiscarded: false }));
  });
  const walk = (kept: DecodedObjects, of = entries): void => {
    for (const entry of of) if (kept.get(entry) === undefined) kept.set(entry, `object ${entry.index}`, 10);
  };
  const present = (kept: DecodedObjects, of = entries): number => of.filter((each) => kept.get(each)).length;

  it('keeps everything while there is room and never exceeds its limit', () => {
    const kept = new DecodedObjects(10_000);
    walk(kept);
    expect([present(kept), kept.bytes]).toEqual([1_000, 10_000]);
    kept.set({}, 'one more', 10);
    expect(kept.bytes).toBe(10_000);
  });

  it('keeps the objects in use during a scan of more objects than fit', () => {
    const kept = new DecodedObjects(1_000);
    const inUse = entries.slice(0, 50);
    walk(kept, inUse);
    walk(kept, inUse);
    walk(kept);
    expect(present(kept, inUse)).toBe(50);
    expect(kept.bytes).toBeLessThanOrEqual(1_000);
  });

  it('keeps the most recently decoded objects for an immediate second read', () => {
    const kept = new DecodedObjects(1_000);
    walk(kept);
    expect(present(kept, entries.slice(-6))).toBe(6);
  });

  it('drops changed objects and rejects objects larger than its limit', () => {
    const kept = new DecodedObjects(1_000);
    const [entry, large] = [{}, {}];
    kept.set(entry, 'old', 10);
    kept.delete(entry);
    kept.set(large, 'large', 1_001);
    expect([kept.get(entry), kept.get(large), kept.bytes]).toEqual([undefined, undefined, 0]);
    kept.set(large, 'nearly all', 999);
    kept.set(entry, 'new', 10);
    expect([kept.get(entry), kept.bytes]).toEqual(['new', 10]);
  });

  it('clears the record of a deleted entry, which may outlive it', () => {
    const kept = new DecodedObjects(1_000);
    walk(kept, entries.slice(0, 3));
    const entry = entries[1]!;
    const record = entry.decoded;
    kept.delete(entry);
    expect(entry.decoded).toBeUndefined();
    expect([record?.value, record?.before, record?.after]).toEqual([undefined, undefined, undefined]);
  });

  it('keeps only a few discarded objects, however often they were read', () => {
    const kept = new DecodedObjects(10_000);
    const before = Array.from({ length: 40 }, (_, index) => ({ index, isDiscarded: false }));
    walk(kept, before);
    walk(kept, before);
    for (const entry of before) {
      entry.isDiscarded = true;
      kept.discard(entry);
    }
    // Handlers of the last changes still find them.
    expect([present(kept, before), present(kept, before.slice(-16))]).toEqual([16, 16]);
    expect(kept.bytes).toBe(0);
    walk(kept, before);
    expect([present(kept, before), kept.bytes]).toEqual([16, 0]);
  });
});
