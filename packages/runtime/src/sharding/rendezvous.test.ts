import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ownerOf } from './rendezvous.ts';

const members = fc.uniqueArray(fc.string({ minLength: 1 }), { minLength: 1, maxLength: 8 });

describe('ownerOf', () => {
  it('does not depend on the order of members', () => {
    fc.assert(
      fc.property(members, fc.string(), (all, key) => {
        expect(ownerOf([...all].reverse(), key)).toBe(ownerOf(all, key));
      }),
    );
  });

  it('moves only the keys of the removed member', () => {
    fc.assert(
      fc.property(members, fc.string(), (all, key) => {
        const owner = ownerOf(all, key);
        for (const gone of all) {
          const rest = all.filter((each) => each !== gone);
          expect(ownerOf(rest, key) === owner).toBe(gone !== owner);
        }
      }),
    );
  });

  it('gives each of five members its share', () => {
    const all = ['a', 'b', 'c', 'd', 'e'].map((each) => `shards-${each}`);
    const counts = new Map<string, number>();
    for (let i = 0; i < 10_000; i++) {
      const owner = ownerOf(all, `default/object-${i}`) ?? '';
      counts.set(owner, (counts.get(owner) ?? 0) + 1);
    }
    for (const each of all) expect(Math.abs((counts.get(each) ?? 0) - 2_000)).toBeLessThan(200);
  });

  it('never changes: replicas of different versions must agree', () => {
    const keys = ['default/a', 'default/b', 'kube-system/c', 'd'];
    expect(keys.map((key) => ownerOf(['one', 'two', 'three'], key))).toMatchInlineSnapshot(`
      [
        "one",
        "three",
        "two",
        "two",
      ]
    `);
    expect(ownerOf([], 'a')).toBeUndefined();
  });
});
