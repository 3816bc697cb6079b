import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createJsonPatch } from './create-json-patch.ts';
import { applyJsonPatch } from './json-patch.ts';

describe('createJsonPatch', () => {
  it('creates patches that turn any document into any other', () => {
    const json = fc.letrec((tie) => ({
      value: fc.oneof(
        { maxDepth: 4 },
        fc.constantFrom(null, true, 0, 1, '', 'x'),
        fc.array(tie('value'), { maxLength: 5 }),
        fc.dictionary(fc.constantFrom('a', 'b', 'a/b', '~', '', '0', '__proto__'), tie('value')),
      ),
    })).value;
    // The root of a patched document is always a JSON object, like every Kubernetes object.
    const document = json.map((value) => ({ value }));
    fc.assert(
      fc.property(document, document, (from, to) => {
        const before = JSON.stringify(from);
        const patch = createJsonPatch(from, to);
        expect(JSON.stringify(applyJsonPatch(from, JSON.parse(JSON.stringify(patch))), sorted)).toBe(
          JSON.stringify(to, sorted),
        );
        expect(JSON.stringify(from)).toBe(before);
        expect(createJsonPatch(from, JSON.parse(JSON.stringify(from)))).toEqual([]);
      }),
      { numRuns: 2_000 },
    );
  });

  it('changes only what differs, in lists too', () => {
    const from = { spec: { list: [{ name: 'a', n: 1 }, { name: 'b' }, { name: 'c' }] } };
    const to = { spec: { list: [{ name: 'a', n: 2 }, { name: 'b' }, { name: 'x' }, { name: 'c' }], more: undefined } };
    expect(createJsonPatch(from, to)).toEqual([
      { op: 'replace', path: '/spec/list/0/n', value: 2 },
      { op: 'add', path: '/spec/list/2', value: { name: 'x' } },
    ]);
    expect(createJsonPatch({ list: ['a', 'b', 'c', 'd'] }, { list: ['a', 'd'] })).toEqual([
      { op: 'remove', path: '/list/2' },
      { op: 'remove', path: '/list/1' },
    ]);
  });
});

/** Sorts fields, including a field named `__proto__`. */
function sorted(_key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const fields = value as Readonly<Record<string, unknown>>;
  const copy = Object.create(null) as Record<string, unknown>;
  for (const key of Object.keys(fields).sort()) copy[key] = fields[key];
  return copy;
}
