import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseExactJson } from './exact-json.ts';
import { stringifyJson } from './stringify-json.ts';

describe('parseExactJson', () => {
  it.each([
    '{"a":9007199254740993,"b":[-9223372036854775808,1.5,9223372036854775807],"c":{},"d":[],"e":"9007199254740993"}',
    '{"a":"\\ud83d\\ude00","b":null,"c":true}',
    '9007199254740993',
    '[[[9007199254740993]],{"":{"__proto__":9007199254740993,"constructor":[]}}]',
  ])('reads what stringifyJson writes: %s', (text) => {
    const value = parseExactJson(text);
    expect(parseExactJson(stringifyJson(value))).toEqual(value);
    expect(parseExactJson(stringifyJson(value, { indent: 2 }))).toEqual(value);
  });

  it.each<[string, unknown]>([
    ['[9007199254740992,9007199254740991]', [2n ** 53n, 2 ** 53 - 1]],
    ['[-9007199254740992,-9007199254740991]', [-(2n ** 53n), 1 - 2 ** 53]],
    ['{"size":9007199254740993}', { size: 2n ** 53n + 1n }],
    [' { "size" : 9007199254740993 } ', { size: 2n ** 53n + 1n }],
    ['{"a":{"size":9007199254740993},"b":"\\"x"}', { a: { size: 2n ** 53n + 1n }, b: '"x' }],
    ['{"a":1,"a":9007199254740993}', { a: 2n ** 53n + 1n }],
  ])('keeps integers beyond 2^53 as bigints: %s', (text, value) => {
    expect(parseExactJson(text)).toEqual(value);
  });

  it.each([
    '18446744073709551616',
    '[1e30,1.2345678901234567890,-0.00000000000000000001,9007199254740993.5,9007199254740993e2]',
    '{"resourceVersion":"1730284928234567015","text":"a \\": 9007199254740993, b","9007199254740993":1}',
    '"9007199254740993"',
    '{"a":"at 9007199254740993, it"}',
    '[]',
    '0',
  ])('leaves everything else unchanged: %s', (text) => {
    expect(parseExactJson(text)).toEqual(JSON.parse(text));
  });

  it('rejects invalid JSON', () => {
    for (const text of [
      '',
      '{"a":9007199254740993',
      '[9007199254740993,]',
      '9007199254740993 1',
      '09007199254740993',
    ]) {
      expect(() => parseExactJson(text), text).toThrow(SyntaxError);
    }
  });

  it('treats __proto__ as an ordinary field', () => {
    const value = parseExactJson('{"__proto__":{"a":9007199254740993}}') as object;
    expect(Object.keys(value)).toEqual(['__proto__']);
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
  });

  it('reads any written value unchanged, including any 64-bit integer', () => {
    const padded = fc.tuple(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }), fc.string(), fc.jsonValue());
    fc.assert(
      fc.property(padded, ([integer, text, other]) => {
        const exact = Number.isSafeInteger(Number(integer)) ? Number(integer) : integer;
        const value = { [`k${text}`]: [other, text, exact, { [text]: exact }] };
        expect(stringifyJson(parseExactJson(stringifyJson(value)))).toBe(stringifyJson(value));
        expect(stringifyJson(parseExactJson(JSON.stringify(other)))).toBe(JSON.stringify(other));
      }),
    );
  });
});

describe('stringifyJson', () => {
  it('indents values with and without bigints alike', () => {
    const value = (size: unknown) => ({ a: { b: [size, {}, []], c: undefined, d: 'x' } });
    const plain = JSON.stringify(value(1), undefined, 2);
    expect(stringifyJson(value(1n), { indent: 2 })).toBe(plain);
    expect(stringifyJson(value(1n))).toBe(JSON.stringify(value(1)));
  });

  it('calls toJSON as JSON.stringify does, even next to a bigint', () => {
    const at = new Date(0);
    const list = [at, () => 1, undefined];
    expect(stringifyJson({ at, list, size: 1n })).toBe(`${JSON.stringify({ at, list }).slice(0, -1)},"size":1}`);
  });

  it('reports a cycle', () => {
    const cycle: Record<string, unknown> = {};
    cycle['self'] = cycle;
    expect(() => stringifyJson(cycle)).toThrow(TypeError);
  });
});
