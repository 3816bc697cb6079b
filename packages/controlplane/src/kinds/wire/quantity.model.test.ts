import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { billionthsOf, canonicalQuantity } from './quantity.ts';

describe('canonicalQuantity', () => {
  it.each([
    ['1000m', '1'],
    ['0.5', '500m'],
    ['1024Mi', '1Gi'],
    ['1500Mi', '1500Mi'],
    ['0.5Gi', '512Mi'],
    ['1e3', '1e3'],
    ['1000', '1k'],
    ['1234', '1234'],
    ['0', '0'],
    ['0Gi', '0'],
    ['-1', '-1'],
    ['.5Mi', '512Ki'],
    ['512', '512'],
    ['1.5', '1500m'],
    ['100n', '100n'],
    ['1Ki', '1Ki'],
    ['0.1Ki', '102400m'],
    [2, '2'],
    [0.25, '250m'],
    ['x', 'x'],
  ])('formats %s as %s', (given, canonical) => {
    expect(canonicalQuantity(given)).toBe(canonical);
  });

  it('preserves the value, and leaves canonical quantities unchanged', () => {
    const suffixes = fc.constantFrom('', 'n', 'u', 'm', 'k', 'M', 'G', 'Ki', 'Mi', 'Gi', 'e3', 'E-2');
    fc.assert(
      fc.property(fc.integer({ min: -1_000_000, max: 1_000_000 }), fc.nat(999), suffixes, (whole, fraction, suffix) => {
        const given = `${whole}.${fraction}${suffix}`;
        const text = canonicalQuantity(given);
        expect(billionthsOf(text)).toBe(billionthsOf(given));
        expect(canonicalQuantity(text)).toBe(text);
      }),
    );
  });
});
