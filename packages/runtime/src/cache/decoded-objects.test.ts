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

  it('keeps objects that are decoded again after they were evicted, up to a larger limit', () => {
    const kept = new DecodedObjects(1_000, 10_000);
    walk(kept);
    expect(kept.bytes).toBe(1_000);
    walk(kept);
    walk(kept);
    expect(present(kept)).toBe(1_000);
    expect(kept.bytes).toBeLessThanOrEqual(11_000);
  });

  it('replaces few objects during repeated scans of more objects than fit', () => {
    const kept = new DecodedObjects(1_000, 5_000);
    walk(kept);
    walk(kept);
    const first = entries.filter((each) => each.decoded);
    walk(kept);
    const still = first.filter((each) => each.decoded);
    expect(first.length).toBeGreaterThan(500);
    expect(still.length).toBeGreaterThan(0.85 * first.length);
    expect(still.length).toBeLessThan(first.length);
    expect(kept.bytes).toBeLessThanOrEqual(6_000);
  });

  it('counts objects that are decoded again towards the only limit that is given', () => {
    const kept = new DecodedObjects(1_000);
    const most: number[] = [];
    for (let scan = 0; scan < 4; scan++) {
      for (const entry of entries) {
        if (kept.get(entry) === undefined) kept.set(entry, `object ${entry.index}`, 10);
        most.push(kept.bytes);
      }
    }
    expect(Math.max(...most)).toBe(1_000);
    // At least 40 of the kept objects survive another scan.
    const first = entries.filter((each) => each.decoded);
    walk(kept);
    expect(first.filter((each) => each.decoded).length).toBeGreaterThan(40);
    const large = {};
    kept.set(large, 'nearly all', 995);
    expect([kept.get(large), kept.bytes <= 1_000]).toEqual(['nearly all', true]);
  });

  it('keeps objects that are decoded again in addition by default', () => {
    const kept = new DecodedObjects();
    const mebibyte = 1 << 20;
    const few = entries.slice(0, 12);
    for (let scan = 0; scan < 2; scan++) {
      for (const entry of few) if (kept.get(entry) === undefined) kept.set(entry, 'large', mebibyte);
    }
    expect(kept.bytes).toBeGreaterThan(8 * mebibyte);
  });

  it('keeps the other objects if one is larger than the whole share for objects that are decoded again', () => {
    const kept = new DecodedObjects(1_000, 500);
    walk(kept);
    walk(kept);
    const before = entries.filter((each) => each.decoded).length;
    for (let time = 0; time < 32; time++) {
      kept.set({ decoded: null }, 'large', 501);
    }
    expect(entries.filter((each) => each.decoded).length).toBeGreaterThanOrEqual(before - 100);
    expect(kept.bytes).toBeGreaterThan(500);
  });

  it('counts a new version of an object as decoded for the first time', () => {
    const kept = new DecodedObjects(1_000, 10_000);
    walk(kept);
    const changed = entries.map(({ index }) => ({ index, isDiscarded: false }));
    walk(kept, changed);
    expect(kept.bytes).toBeLessThanOrEqual(1_000);
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
    // Handlers of the latest events can still read the latest 16 objects.
    expect([present(kept, before), present(kept, before.slice(-16))]).toEqual([16, 16]);
    expect(kept.bytes).toBe(0);
    walk(kept, before);
    expect([present(kept, before), kept.bytes]).toEqual([16, 0]);
  });
});
