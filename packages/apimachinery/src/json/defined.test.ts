import { describe, expect, it } from 'vitest';
import { defined } from './defined.ts';

describe('defined', () => {
  it('keeps the fields that are not undefined, in their order', () => {
    const fields = defined({ a: 1, b: undefined, c: null, d: '', e: false });
    expect(Object.keys(fields)).toEqual(['a', 'c', 'd', 'e']);
    expect(fields).toStrictEqual({ a: 1, c: null, d: '', e: false });
  });

  it('returns optional fields where the value may be undefined', () => {
    const namespace = 'shop' as string | undefined;
    const key: { readonly name: string; readonly namespace?: string } = defined({ name: 'a', namespace });
    expect(key).toEqual({ name: 'a', namespace: 'shop' });
  });
});
