import { describe, expect, it } from 'vitest';
import { canonicalJson, fnv32a, safeEncode, shortHash } from './template-hash.ts';

describe('shortHash', () => {
  it('encodes the FNV-32a hash in characters that cannot form words', () => {
    // Reference values for 32-bit FNV-1a.
    expect(fnv32a(new TextEncoder().encode(''))).toBe(0x811c9dc5);
    expect(fnv32a(new TextEncoder().encode('foobar'))).toBe(0xbf9cf968);
    expect(safeEncode('0123456789')).toBe('456789bcdf');
  });

  it('depends on the value and the collision count, not on the order of keys', () => {
    const template = { metadata: { labels: { a: '1', b: '2' } }, spec: { containers: [{ name: 'c' }] } };
    const same = { spec: { containers: [{ name: 'c', env: [] }] }, metadata: { labels: { b: '2', a: '1' } } };
    expect(shortHash(template)).toBe(shortHash(same));
    expect(shortHash(template)).toMatch(/^[bcdfghjklmnpqrstvwxz2456789]{1,10}$/);
    expect(shortHash({ ...template, spec: { containers: [{ name: 'd' }] } })).not.toBe(shortHash(template));
    expect(shortHash(template, { collisionCount: 1 })).not.toBe(shortHash(template));
  });

  it('distinguishes an empty object, such as an emptyDir volume, from a missing one', () => {
    expect(canonicalJson({ emptyDir: {} })).not.toBe(canonicalJson({}));
    expect(canonicalJson({ a: undefined, b: null, c: [] })).toBe('{}');
  });
});
