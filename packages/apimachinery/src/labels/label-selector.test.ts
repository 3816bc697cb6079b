import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LabelSelector } from './label-selector.ts';

describe('LabelSelector', () => {
  const name =
    "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
  const value =
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";

  // Responses of a 1.36.3 API server.
  it.each([
    ['a=(', "unable to parse requirement: found '(', expected: identifier"],
    ['a in b', "unable to parse requirement: found 'b' expected: '('"],
    ['-a', `unable to parse requirement: <nil>: Invalid value: "-a": ${name}`],
    [
      'a>b',
      `unable to parse requirement: values[0]: Invalid value: "b": for 'Gt', 'Lt' operators, the value must be an integer`,
    ],
    ['a,,b', "found ',', expected: identifier after ','"],
    ['a b', "unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt"],
    ['a=-x', `unable to parse requirement: values[0][a]: Invalid value: "-x": ${value}`],
  ])('rejects %j as the API server does', (text, message) => {
    expect(() => LabelSelector.parse(text)).toThrow(message);
    expect(() => LabelSelector.parse(text)).toThrow(expect.objectContaining({ message, code: 'KW1010' }));
  });

  it.each([
    ['', ''],
    ['x=y', 'x=y'],
    ['z==a , x != b', 'x!=b,z==a'],
    ['x in (foo,,baz),y,z notin ()', 'x in (,baz,foo),y,z notin ()'],
    ['!a,b>5', '!a,b>5'],
    ['value in (in, notin)', 'value in (in,notin)'],
    ['a=', 'a='],
    ['example.com/x in (b,a)', 'example.com/x in (a,b)'],
  ])('parses %j', (text, canonical) => {
    expect(LabelSelector.parse(text).toString()).toBe(canonical);
  });

  it.each([
    ['a=1', { a: '1' }, true],
    ['a=1', {}, false],
    ['a!=1', {}, true],
    ['a notin (1)', {}, true],
    ['a', { a: '' }, true],
    ['!a', {}, true],
    ['a>5', { a: '10' }, true],
    ['a>5', { a: 'x' }, false],
    ['a<5', { a: '-1' }, true],
    ['toString', {}, false],
    ['constructor', {}, false],
  ])('evaluates %j on %j to %j', (text, labels, expected) => {
    expect(LabelSelector.parse(text).matches(labels)).toBe(expected);
  });

  it('selects nothing for an absent object and everything for an empty one', () => {
    expect(LabelSelector.ofObject(undefined).matches({ a: 'b' })).toBe(false);
    expect(LabelSelector.ofObject({}).matches({})).toBe(true);
    expect(LabelSelector.ofObject({}).isEmpty).toBe(true);
  });

  it('reports an operator that label selector objects do not support', () => {
    const selector = { matchExpressions: [{ key: 'a', operator: 'Near' }] };
    expect(() => LabelSelector.ofObject(selector)).toThrow('"Near" is not a valid label selector operator');
  });

  const word = fc.stringMatching(/^[a-z0-9]([-a-z0-9_.]{0,6}[a-z0-9])?$/);
  const requirement = fc.oneof(
    fc.tuple(word, fc.constantFrom('=', '==', '!='), word).map(([key, operator, value]) => `${key}${operator}${value}`),
    fc
      .tuple(word, fc.constantFrom('in', 'notin'), fc.array(word, { minLength: 1, maxLength: 3 }))
      .map(([key, operator, values]) => `${key} ${operator} (${values.join(',')})`),
    word,
    word.map((key) => `!${key}`),
  );

  it('parses what it formats, with the same meaning', () => {
    fc.assert(
      fc.property(fc.array(requirement, { maxLength: 4 }), fc.dictionary(word, word), (parts, labels) => {
        fc.pre(!parts.some((part) => /^!?(in|notin)$/.test(part)));
        const selector = LabelSelector.parse(parts.join(','));
        const again = LabelSelector.parse(selector.toString());
        expect(again.toString()).toBe(selector.toString());
        expect(again.matches(labels)).toBe(selector.matches(labels));
        expect(selector.matches(labels)).toBe(parts.every((part) => LabelSelector.parse(part).matches(labels)));
      }),
    );
  });

  it('throws only LabelSelectorError', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'ab=!(),<> \tin-') }), (text) => {
        try {
          LabelSelector.parse(text);
        } catch (error) {
          expect(error).toMatchObject({ code: 'KW1010' });
        }
      }),
    );
  });
});
