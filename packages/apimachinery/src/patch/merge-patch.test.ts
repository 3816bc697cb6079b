import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { applyMergePatch, createMergePatch } from './merge-patch.ts';

describe('applyMergePatch', () => {
  // The examples of RFC 7386, appendix A.
  it.each([
    [{ a: 'b' }, { a: 'c' }, { a: 'c' }],
    [{ a: 'b' }, { b: 'c' }, { a: 'b', b: 'c' }],
    [{ a: 'b' }, { a: null }, {}],
    [{ a: ['b'] }, { a: 'c' }, { a: 'c' }],
    [{ a: 'c' }, { a: ['b'] }, { a: ['b'] }],
    [{ a: { b: 'c' } }, { a: { b: 'd', c: null } }, { a: { b: 'd' } }],
    [{ a: [{ b: 'c' }] }, { a: [1] }, { a: [1] }],
    [
      ['a', 'b'],
      ['c', 'd'],
      ['c', 'd'],
    ],
    [{ a: 'b' }, ['c'], ['c']],
    [{ a: 'foo' }, null, null],
    [{ e: null }, { a: 1 }, { e: null, a: 1 }],
    [[1, 2], { a: 'b', c: null }, { a: 'b' }],
    [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
    // Unlike RFC 7386, as the API server does.
    [{ a: [1] }, { a: [{ b: null, c: [{ d: null }] }, null] }, { a: [{ c: [{}] }, null] }],
    [{ a: { x: 1 } }, { a: [{ b: null }] }, { a: [{ b: null }] }],
  ])('patches %j with %j to %j', (document, patch, expected) => {
    expect(applyMergePatch(document, patch)).toEqual(expected);
  });

  it('returns the document itself when nothing changes', () => {
    const document = { a: { b: 1 } };
    expect(applyMergePatch(document, { a: { b: 1, c: null } })).toBe(document);
  });

  it('does not pollute prototypes', () => {
    const patch: unknown = JSON.parse('{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}');
    const result = applyMergePatch({}, patch);
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
    expect(JSON.stringify(result)).toBe(JSON.stringify(patch));
  });

  it('rejects a patch that would overflow the stack', () => {
    const deep: unknown = JSON.parse(`${'{"a":'.repeat(5000)}1${'}'.repeat(5000)}`);
    expect(() => applyMergePatch({}, deep)).toThrow(expect.objectContaining({ code: 'KW1051' }));
  });

  const value = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 3 },
      fc.integer(),
      fc.string(),
      fc.array(fc.integer(), { maxLength: 2 }),
      tie('object'),
    ),
    object: fc.dictionary(fc.constantFrom('a', 'b', 'c', '__proto__'), tie('value'), { maxKeys: 3 }),
  }));

  it('turns the original into the modified document with the patch from createMergePatch', () => {
    fc.assert(
      fc.property(value.object, value.object, (original, modified) => {
        const patch = createMergePatch(original, modified);
        expect(JSON.stringify(sorted(applyMergePatch(original, patch)))).toBe(JSON.stringify(sorted(modified)));
      }),
    );
  });
});

function sorted(input: unknown): unknown {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) return input;
  return Object.entries(input)
    .map(([key, item]) => [key, sorted(item)] as const)
    .sort(([a], [b]) => (a < b ? -1 : 1));
}
