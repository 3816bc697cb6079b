import { describe, expect, it } from 'vitest';
import { Removals } from './removals.ts';

const version = (uid: string) => ({ uid, resourceVersion: '5' });

describe('Removals', () => {
  it('remembers a removal while a deletion begun before it is in flight', () => {
    const removals = new Removals();
    removals.removed(version('early'));
    expect(removals.size).toBe(0);
    const first = removals.deleting();
    removals.removed(version('a'));
    const second = removals.deleting();
    removals.removed(version('b'));
    first[Symbol.dispose]();
    expect([removals.get('a'), removals.get('b')]).toEqual([undefined, version('b')]);
    second[Symbol.dispose]();
    expect(removals.size).toBe(0);
  });

  it('does not accumulate removals while some deletion is always in flight', () => {
    const removals = new Removals();
    let held = removals.deleting();
    let most = 0;
    for (let i = 0; i < 1_000; i++) {
      const next = removals.deleting();
      removals.removed(version(`u${i}`));
      held[Symbol.dispose]();
      held = next;
      most = Math.max(most, removals.size);
    }
    expect(most).toBeLessThanOrEqual(2);
  });

  it('is bounded while a deletion never gets a response, and keeps only versions', () => {
    const removals = new Removals();
    using _deleting = removals.deleting();
    const entry = { ...version('u'), bytes: 'x'.repeat(1_000) };
    removals.removed(entry);
    expect(removals.get('u')).toEqual(version('u'));
    for (let i = 0; i < 10_010; i++) removals.removed(version(`u${i}`));
    expect(removals.size).toBe(10_000);
  });
});
