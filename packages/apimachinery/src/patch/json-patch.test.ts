import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { applyJsonPatch } from './json-patch.ts';

describe('applyJsonPatch', () => {
  const document = { data: { a: '1' }, list: [1, 2, 3] };

  it.each([
    [[{ op: 'add', path: '/data/b', value: null }], { data: { a: '1', b: null }, list: [1, 2, 3] }],
    [[{ op: 'add', path: '/list/1', value: 9 }], { data: { a: '1' }, list: [1, 9, 2, 3] }],
    [[{ op: 'add', path: '/list/-', value: 9 }], { data: { a: '1' }, list: [1, 2, 3, 9] }],
    [[{ op: 'add', path: '/list/-1', value: 9 }], { data: { a: '1' }, list: [1, 2, 3, 9] }],
    [[{ op: 'remove', path: '/list/-1' }], { data: { a: '1' }, list: [1, 2] }],
    [[{ op: 'replace', path: '/data/new', value: 1 }], { data: { a: '1', new: 1 }, list: [1, 2, 3] }],
    [[{ op: 'move', from: '/data/a', path: '/b' }], { data: {}, list: [1, 2, 3], b: '1' }],
    [[{ op: 'copy', from: '/list', path: '/data/l' }], { data: { a: '1', l: [1, 2, 3] }, list: [1, 2, 3] }],
    [[{ op: 'add', path: '/data/x~1y~0', value: 1 }], { data: { a: '1', 'x/y~': 1 }, list: [1, 2, 3] }],
    [
      [
        { op: 'test', path: '/data', value: { a: '1' } },
        { op: 'remove', path: '/data/a' },
      ],
      { data: {}, list: [1, 2, 3] },
    ],
  ])('applies %j', (patch, expected) => {
    const before = JSON.stringify(document);
    expect(applyJsonPatch(document, patch)).toEqual(expected);
    expect(JSON.stringify(document)).toBe(before);
  });

  it.each([
    [{ a: 1 }, 'malformed'],
    [['x'], 'malformed'],
    [[{ op: 'test', path: '/data/a', value: '2' }], 'failed'],
    [[{ op: 'remove', path: '/data/zz' }], 'failed'],
    [[{ op: 'add', path: '/__proto__/x', value: 1 }], 'failed'],
    [[{ op: 'add', path: '/constructor/prototype/x', value: 1 }], 'failed'],
    [[{ op: 'add', path: '/list/9', value: 1 }], 'failed'],
    [[{ op: 'remove', path: '/list/-' }], 'failed'],
    [[{ op: 'foo', path: '/a' }], 'failed'],
    [[{ op: 'add', value: 1 }], 'failed'],
    [Array.from({ length: 10_001 }, () => ({ op: 'test', path: '/data/a', value: '1' })), 'tooLarge'],
  ])('rejects %j', (patch, kind) => {
    expect(() => applyJsonPatch(document, patch)).toThrow(expect.objectContaining({ code: 'KW1050', kind }));
    expect(Object.hasOwn(Object.prototype, 'x')).toBe(false);
  });

  it('limits the size that copies add', () => {
    const doubling = Array.from({ length: 40 }, () => ({ op: 'copy', from: '/list', path: '/list/-' }));
    expect(() => applyJsonPatch({ list: ['x'.repeat(100)] }, doubling)).toThrow(/exceeding the limit 3145728/);
  });

  it('keeps copies independent', () => {
    const patch = [
      { op: 'add', path: '/data/b', value: { c: 1 } },
      { op: 'add', path: '/data/b/d', value: 2 },
      { op: 'copy', from: '/data', path: '/other' },
      { op: 'replace', path: '/other/b/c', value: 9 },
      { op: 'replace', path: '/data/b/d', value: 8 },
    ];
    const result = applyJsonPatch(document, patch) as { data: unknown; other: unknown };
    expect(result.data).toEqual({ a: '1', b: { c: 1, d: 8 } });
    expect(result.other).toEqual({ a: '1', b: { c: 9, d: 2 } });
  });

  it('stores a field named __proto__ as data', () => {
    const result = applyJsonPatch({}, [{ op: 'add', path: '/__proto__', value: { x: 1 } }]) as object;
    expect(JSON.stringify(result)).toBe('{"__proto__":{"x":1}}');
    expect((result as { x?: unknown }).x).toBeUndefined();
  });

  it('never changes its input', () => {
    const path = fc.constantFrom('', '/a', '/b', '/a/b', '/a/0', '/a/-', '/b/a', '/b/1/a');
    const operation = fc.record({
      op: fc.constantFrom('add', 'remove', 'replace', 'move', 'copy', 'test'),
      path,
      from: path,
      value: fc.jsonValue(),
    });
    const input = fc.constantFrom({ a: [1, { b: 2 }], b: { a: 1 } }, { a: { b: [] }, b: [{}, { a: 3 }] });
    fc.assert(
      fc.property(input, fc.array(operation, { maxLength: 6 }), (original, patch) => {
        const before = JSON.stringify([original, patch]);
        try {
          applyJsonPatch(original, patch);
        } catch (error) {
          expect(error).toMatchObject({ code: 'KW1050' });
        }
        expect(JSON.stringify([original, patch])).toBe(before);
      }),
    );
  });
});
