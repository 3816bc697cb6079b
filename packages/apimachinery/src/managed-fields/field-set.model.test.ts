import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FieldSet } from './field-set.ts';
import { PathElement } from './path-element.ts';

const element = fc.constantFrom(
  'f:a',
  'f:b',
  'f:-',
  'k:{"name":"x"}',
  'k:{"name":"y"}',
  'v:"1"',
  'v:2',
  'i:0',
  'i:10',
  'i:9',
);
const path = fc.array(element, { minLength: 1, maxLength: 4 });
const paths = fc.array(path, { maxLength: 12 });

/** The model: a plain set of strings. */
const model = (list: readonly (readonly PathElement[])[]): Set<string> => new Set(list.map((item) => item.join('\n')));
const members = (set: FieldSet): string[] =>
  set
    .paths()
    .map((item) => item.join('\n'))
    .sort();

describe('FieldSet', () => {
  it('behaves like a plain set of paths', () => {
    fc.assert(
      fc.property(paths, paths, (left, right) => {
        const [a, b] = [FieldSet.of(...left), FieldSet.of(...right)];
        const [ma, mb] = [model(left), model(right)];
        expect(members(a)).toEqual([...ma].sort());
        expect(members(a.union(b))).toEqual([...new Set([...ma, ...mb])].sort());
        expect(members(a.intersection(b))).toEqual([...ma].filter((p) => mb.has(p)).sort());
        expect(members(a.difference(b))).toEqual([...ma].filter((p) => !mb.has(p)).sort());
        const under = (p: string): boolean => [...mb].some((q) => p === q || p.startsWith(`${q}\n`));
        expect(members(a.recursiveDifference(b))).toEqual([...ma].filter((p) => !under(p)).sort());
        const parent = (p: string): boolean => [...ma].some((q) => q.startsWith(`${p}\n`));
        expect(members(a.leaves())).toEqual([...ma].filter((p) => !parent(p)).sort());
        expect(a.equals(b)).toBe(members(a).join() === members(b).join());
        expect(a.size).toBe(ma.size);
        for (const p of right) expect(a.has(p)).toBe(ma.has(p.join('\n')));
      }),
    );
  });

  it('parses what it writes', () => {
    fc.assert(
      fc.property(paths, (list) => {
        const set = FieldSet.of(...list);
        const json: unknown = JSON.parse(JSON.stringify(set.toFieldsV1()));
        expect(FieldSet.parse(json).equals(set)).toBe(true);
        expect(JSON.stringify(FieldSet.parse(json).toFieldsV1())).toBe(JSON.stringify(json));
      }),
    );
  });

  it('shares unchanged structure', () => {
    const set = FieldSet.of(['f:spec', 'f:a'], ['f:status']);
    expect(set.union(FieldSet.of(['f:status']))).toBe(set);
    expect(set.difference(FieldSet.of(['f:other']))).toBe(set);
    expect(set.intersection(set)).toBe(set);
  });

  it("writes elements in upstream's order", () => {
    const set = FieldSet.of(
      ['i:10'],
      ['i:9'],
      ['v:"b"'],
      ['v:3'],
      ['k:{"port":80}'],
      ['k:{"name":"a"}'],
      ['f:b'],
      ['f:B'],
    );
    expect(Object.keys(set.toFieldsV1())).toEqual([
      'f:B',
      'f:b',
      'k:{"name":"a"}',
      'k:{"port":80}',
      'v:3',
      'v:"b"',
      'i:9',
      'i:10',
    ]);
  });

  it('treats differently written keys as equal', () => {
    const a = FieldSet.parse({ 'k:{"protocol":"TCP","containerPort":80}': { '.': {}, 'f:name': {} } });
    const b = FieldSet.of(
      ['k:{"containerPort":80,"protocol":"TCP"}'],
      ['k:{"containerPort":80,"protocol":"TCP"}', 'f:name'],
    );
    expect(a.equals(b)).toBe(true);
    expect(FieldSet.parse({ 'v:"a<b"': {} }).equals(FieldSet.parse({ 'v:"a\\u003cb"': {} }))).toBe(true);
  });

  it('drops elements of unknown types and rejects malformed field sets', () => {
    expect(FieldSet.parse({ 'x:1': {}, 'f:a': {} }).paths()).toEqual([['f:a']]);
    expect(() => FieldSet.parse({ 'f:a': 1 })).toThrow(expect.objectContaining({ code: 'KW1020' }));
    expect(() => FieldSet.parse({ 'k:{': {} })).toThrow(expect.objectContaining({ code: 'KW1020' }));
    expect(FieldSet.tryParse({ 'f:a': 1 })).toBeUndefined();
    let deep: object = {};
    for (let i = 0; i < 5000; i++) deep = { 'f:a': deep };
    expect(() => FieldSet.parse(deep)).toThrow(/nested deeper/);
  });

  it('formats paths as the API does in messages', () => {
    expect(PathElement.formatPath(['f:spec', 'k:{"name":"web"}', 'v:"x"', 'i:3'])).toBe('.spec[name="web"][="x"][3]');
  });
});
