import { describe, expect, it } from 'vitest';
import { validateAnnotations } from './annotations.ts';

const limit = 256 * 1024;

describe('validateAnnotations', () => {
  it('accepts keys in upper case and any value', () => {
    expect(validateAnnotations({ 'Example.com/Note': 'two\nlines' }, 'metadata.annotations')).toEqual([]);
  });

  it('rejects keys that are not qualified names', () => {
    const errors = validateAnnotations({ 'a/b/c': '', ok: '' }, 'metadata.annotations');
    expect(errors).toMatchObject([{ field: 'metadata.annotations', type: 'FieldValueInvalid' }]);
    expect(errors[0]?.body).toMatch(/^Invalid value: "a\/b\/c": a valid label key must consist of/);
  });

  it.each([
    ['at the limit', 'x'.repeat(limit - 1), []],
    ['one byte too many', 'x'.repeat(limit), [`Too long: may not be more than ${limit} bytes`]],
    ['characters of four bytes', '😀'.repeat(limit / 4), [`Too long: may not be more than ${limit} bytes`]],
  ])('limits the total size in bytes: %s', (_, value, expected) => {
    expect(validateAnnotations({ a: value }, 'annotations').map(({ body }) => body)).toEqual(expected);
  });
});
