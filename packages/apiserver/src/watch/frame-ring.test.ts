import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FrameRing, type RingEntry } from './frame-ring.ts';

const entry = (revision: number, length = 1): RingEntry => ({
  frame: new Uint8Array(length).fill(revision),
  revision,
  firstFrame: undefined,
});

describe('FrameRing', () => {
  it('keeps the newest entries up to its size, and at least one', () => {
    const ring = new FrameRing({ maxBytes: 3 });
    for (let i = 1; i <= 5; i++) ring.append(entry(i));
    expect([ring.start, ring.end, ring.bytes, ring.droppedRevision]).toEqual([2, 5, 3, 2]);
    expect([ring.at(1), ring.at(2)?.revision, ring.at(5)]).toEqual([undefined, 3, undefined]);
    expect(ring.slice(2, 2)).toEqual({ bytes: Buffer.from([3, 4]), next: 4 });
    ring.append(entry(6, 10));
    expect([ring.start, ring.end, ring.bytes, ring.droppedRevision]).toEqual([5, 6, 10, 5]);
    ring.dropBefore(9);
    expect([ring.start, ring.end, ring.bytes, ring.droppedRevision]).toEqual([6, 6, 0, 6]);
  });

  it('behaves like a list whose oldest entries are removed', () => {
    const steps = fc.array(fc.oneof(fc.record({ append: fc.nat(4) }), fc.record({ drop: fc.nat(12) })), {
      maxLength: 60,
    });
    fc.assert(
      fc.property(steps, (all) => {
        const ring = new FrameRing({ maxBytes: 10 });
        const model: RingEntry[] = [];
        let revision = 0;
        const sizeOf = (list: readonly RingEntry[]) => list.reduce((sum, { frame }) => sum + frame.length, 0);
        for (const step of all) {
          if ('append' in step) {
            const next = entry(++revision, step.append);
            ring.append(next);
            model.push(next);
            while (model.length > 1 && sizeOf(model) > 10) model.shift();
          } else {
            ring.dropBefore(ring.start + step.drop);
            model.splice(0, step.drop);
          }
          const kept = Array.from({ length: ring.end - ring.start }, (_, i) => ring.at(ring.start + i));
          expect(kept).toEqual(model);
          expect([ring.end, ring.bytes]).toEqual([revision, sizeOf(model)]);
          expect(ring.droppedRevision).toBe(revision - model.length);
        }
      }),
    );
  });

  it('appends to a full ring without copying it', () => {
    const ring = new FrameRing({ maxBytes: 100_000 });
    const cpuMs = (events: number): number => {
      const before = process.cpuUsage();
      for (let i = 0; i < events; i++) ring.append(entry(i));
      const { user, system } = process.cpuUsage(before);
      return (user + system) / 1_000;
    };
    const fillMs = cpuMs(100_000);
    expect(cpuMs(1_000)).toBeLessThan(fillMs);
  });
});
