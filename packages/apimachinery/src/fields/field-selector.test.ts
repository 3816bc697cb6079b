import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FieldSelector } from './field-selector.ts';

describe('FieldSelector', () => {
  it.each([
    ['abc', "invalid selector: 'abc'; can't understand 'abc'"],
    ['metadata.name=\\x', 'invalid field selector: invalid escape sequence: \\x'],
    ['a=b=c', 'invalid field selector: unescaped character in value: 61'],
    ['a=\\', 'invalid field selector: invalid escape sequence: \\'],
  ])('rejects %j as the API server does', (text, message) => {
    expect(() => FieldSelector.parse(text)).toThrow(expect.objectContaining({ message, code: 'KW1011' }));
  });

  it('matches when all terms match', () => {
    const selector = FieldSelector.parse('status.phase!=Running,metadata.name==web');
    const fields = (phase: string) => (field: string) => (field === 'status.phase' ? phase : 'web');
    expect(selector.matches(fields('Pending'))).toBe(true);
    expect(selector.matches(fields('Running'))).toBe(false);
    expect(selector.exactValue('metadata.name')).toBe('web');
    expect(selector.exactValue('status.phase')).toBeUndefined();
  });

  it('parses what it formats', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.stringMatching(/^[a-z.]{1,8}$/), fc.string()), { maxLength: 3 }), (terms) => {
        const selector = FieldSelector.of(...terms.map(([field, value]) => ({ field, operator: '=' as const, value })));
        const again = FieldSelector.parse(selector.toString());
        const sorted = (s: FieldSelector) => [...s.requirements].map((term) => JSON.stringify(term)).sort();
        expect(sorted(again)).toEqual(sorted(selector));
      }),
    );
  });
});
