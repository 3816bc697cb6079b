import { stringifyJson } from '@kubewright/apimachinery/internal';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseJson } from './parse-json.ts';
import { BodyReadError, previewBody } from './parsed-body.ts';

const encode = (text: string): Uint8Array => new TextEncoder().encode(text);
const problemOf = (bytes: Uint8Array): string => {
  try {
    parseJson(bytes);
  } catch (error) {
    if (error instanceof BodyReadError) return error.message;
    throw error;
  }
  return 'none';
};

describe('parseJson', () => {
  it('parses plain data', () => {
    const body = parseJson(encode('\t\n {"a":[1,-0,"x",null,true,{}],"b":{"c":"é\\n\\u00e9"}} \n'));
    expect(body.value).toEqual({ a: [1, -0, 'x', null, true, {}], b: { c: 'é\né' } });
    expect(body.duplicates).toEqual([]);
  });

  // Recorded from kube-apiserver 1.36.3.
  it.each([
    ['', 'unexpected end of JSON input'],
    ['{"a":', 'unexpected end of JSON input'],
    ['{"a":"b', 'unexpected end of JSON input'],
    ['{}x', "invalid character 'x' after top-level value"],
    ['{}}', "invalid character '}' after top-level value"],
    ['\ufeff{}', "invalid character 'ï' looking for beginning of value"],
    ['{"a":NaN}', "invalid character 'N' looking for beginning of value"],
    ['{"a":nul}', "invalid character '}' in literal null (expecting 'l')"],
    ['{"a":"\n"}', "invalid character '\\n' in string literal"],
    ['{"a":"\u0001"}', "invalid character '\\x01' in string literal"],
    ['{"a":"\\x"}', "invalid character 'x' in string escape code"],
    ['{"a":"\\u12g4"}', "invalid character 'g' in \\u hexadecimal character escape"],
    ['{"a":"b",}', "invalid character '}' looking for beginning of object key string"],
    ['["b",]', "invalid character ']' looking for beginning of value"],
    ['{"a":01}', "invalid character '1' after object key:value pair"],
    ['{"a":-}', "invalid character '}' in numeric literal"],
    ['{"a":1.}', "invalid character '}' after decimal point in numeric literal"],
    ['{"a":1e}', "invalid character '}' in exponent of numeric literal"],
    ['{"a" 1}', "invalid character '1' after object key"],
    ["{'a':1}", "invalid character '\\'' looking for beginning of object key string"],
    ['{"a":"é" é}', "invalid character 'Ã' after object key:value pair"],
  ])('rejects %j as the API server does', (text, message) => {
    expect(problemOf(encode(text))).toBe(message);
  });

  it('reports each duplicate key once, with its path', () => {
    const body = parseJson(
      encode(
        '{"m":{"n":1,"n":2,"n":3},"s":{"c":[{"x":1},{"x":1,"x":2}]},"d":{"a":1},"d":{"__proto__":1,"__proto__":2}}',
      ),
    );
    expect(body.duplicates).toEqual([
      'duplicate field "m.n"',
      'duplicate field "s.c[1].x"',
      'duplicate field "d"',
      'duplicate field "d.__proto__"',
    ]);
    expect(body.value).toMatchObject({ m: { n: 3 }, s: { c: [{ x: 1 }, { x: 2 }] } });
  });

  it('detects duplicate keys that are written with escapes', () => {
    expect(parseJson(encode('{"a":1,"\\u0061":2}')).duplicates).toEqual(['duplicate field "a"']);
  });

  it('treats __proto__ and constructor as ordinary keys', () => {
    for (const text of ['{"__proto__":{"x":1},"constructor":1}', '{"__proto__":{"x":1.5},"constructor":1.0}']) {
      const value = parseJson(encode(text)).value as object;
      expect(Object.keys(value)).toEqual(['__proto__', 'constructor']);
      expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
      expect(({} as Record<string, unknown>)['x']).toBeUndefined();
    }
  });

  it('rejects 100,000 levels of nesting, or fewer if the caller lowers the limit', () => {
    const deep = encode('['.repeat(100_000) + ']'.repeat(100_000));
    expect(problemOf(deep)).toBe("invalid character '[' exceeded max depth");
    expect(() => parseJson(encode('[[[]]]'), { maxDepth: 2 })).toThrow('exceeded max depth');
    expect(parseJson(encode('[[[]]]'), { maxDepth: 3 }).value).toEqual([[[]]]);
  });

  it('parses 64-bit integers exactly', () => {
    expect(parseJson(encode('[9007199254740993,-9223372036854775808]')).value).toEqual([2n ** 53n + 1n, -(2n ** 63n)]);
    expect(problemOf(encode('{"a":1e400}'))).toBe('json: cannot unmarshal number 1e400 into Go value of type float64');
    expect(parseJson(encode('[9007199254740991,18014398509481984]')).value).toEqual([9007199254740991, 2n ** 54n]);
    expect(parseJson(encode('[9223372036854775808]')).value).toEqual([2 ** 63]);
  });

  it('records numbers that are not written as integers', () => {
    const body = parseJson(encode('{"a":1.0,"b":[1e3,5]}'));
    expect([...(body.numberTokens ?? [])]).toEqual([
      ['a', '1.0'],
      ['b[0]', '1e3'],
    ]);
  });

  it('rejects invalid Unicode', () => {
    expect(problemOf(Uint8Array.of(0x22, 0xff, 0x22))).toBe('the body is not valid UTF-8');
    expect(problemOf(encode('{"a":"\\ud800x"}'))).toContain('unpaired surrogate');
    expect(parseJson(encode('"\\ud83d\\ude00"')).value).toBe('😀');
  });

  it('parses any output of JSON.stringify like JSON.parse', () => {
    fc.assert(
      fc.property(fc.json(), fc.integer({ min: 0, max: 2 }), (text, indent) => {
        const body = parseJson(encode(JSON.stringify(JSON.parse(text), null, indent)));
        // Compares serialized values, because integers above 2^53 are bigints in one value and doubles in the other.
        expect(JSON.parse(stringifyJson(body.value))).toEqual(JSON.parse(JSON.stringify(JSON.parse(text))));
        expect(body.duplicates).toEqual([]);
      }),
    );
  });

  it('accepts the same texts as JSON.parse, except numbers that exceed a double', () => {
    const piece = fc.constantFrom(
      '{',
      '}',
      '[',
      ']',
      ',',
      ':',
      '"a"',
      '"',
      '1',
      '-',
      '0',
      '.5',
      'e3',
      'true',
      'nul',
      ' ',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        const text = pieces.join('');
        let valid = true;
        try {
          JSON.parse(text, (_, value: unknown) => {
            if (value === Number.POSITIVE_INFINITY || value === Number.NEGATIVE_INFINITY) valid = false;
            return value;
          });
        } catch {
          valid = false;
        }
        expect(problemOf(encode(text)) === 'none').toBe(valid);
      }),
      { numRuns: 2000, examples: [[['1', 'e3', '1', '1']], [['[', '-', '1', 'e3', '1', '1', ']']]] },
    );
  });
});

describe('stringifyJson', () => {
  it('serializes values that are nested too deeply for JSON.stringify', () => {
    let deep: unknown = { x: undefined, y: ['é', 1, null] };
    for (let i = 0; i < 50_000; i++) deep = i % 2 === 0 ? [deep, i] : { k: deep, s: 'q"' };
    const text = stringifyJson(deep);
    expect(text.startsWith('{"k":[{"k":[')).toBe(true);
    expect(text).toContain('{"y":["é",1,null]}');
  });
});

describe('previewBody', () => {
  it('formats JSON as text and anything else in hexadecimal', () => {
    expect(previewBody(encode(''))).toBe('<empty>');
    expect(previewBody(encode('{"kind":"ConfigMap","apiVersion":"v1"'))).toBe('{"kind":"ConfigMap","apiVersio ...');
    expect(previewBody(encode('[]'))).toBe('5b5d');
  });
});
