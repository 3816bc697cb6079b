import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Quantity, QuantityError } from './quantity.ts';
import recorded from './testdata/quantities.json' with { type: 'json' };

type Row = readonly [input: string, kept: string | null, canonicalOrError: string];

describe('Quantity', () => {
  const rows = recorded.rows as unknown as readonly Row[];
  // Upstream formats these amounts incorrectly, as a plain number that is at least a thousand times too small.
  const lost = (input: string): boolean =>
    /^[+-]?\d+(\.\d*)?[PE]$/.test(input) && Quantity.parse(input).value() >= 10n ** 21n;

  it('parses, keeps and canonicalizes every recorded quantity as the API server does', () => {
    const differences: unknown[] = [];
    for (const [input, kept, canonical] of rows) {
      if (kept === null || lost(input)) continue;
      const quantity = Quantity.tryParse(input);
      const actual = [quantity?.toString(), quantity?.add(Quantity.zero).toString()];
      if (actual[0] !== kept || actual[1] !== canonical) differences.push([input, kept, canonical, ...actual]);
    }
    expect(differences).toEqual([]);
  });

  it('rejects every recorded invalid text with the same message', () => {
    for (const [input, kept, message] of rows) {
      if (kept !== null) continue;
      expect(() => Quantity.parse(input), input).toThrow(new QuantityError({ what: message }));
    }
  });

  it('formats an amount that is too large for a suffix with an exponent', () => {
    expect(Quantity.parse('1000E').toString()).toBe('1e21');
  });

  it('rejects exponents that would exhaust memory', () => {
    expect(Quantity.tryParse('1e1000000000')).toBeUndefined();
  });

  it('rounds fractions of a unit away from zero', () => {
    expect(Quantity.parse('100m').value()).toBe(1n);
    expect(Quantity.parse('-100m').value()).toBe(-1n);
    expect(Quantity.parse('0.0001').milliValue()).toBe(1n);
  });

  it('accepts JSON numbers', () => {
    expect(Quantity.tryParse(0.5)?.toString()).toBe('500m');
    expect(Quantity.tryParse(true)).toBeUndefined();
  });

  const amounts = fc
    .tuple(
      fc.bigInt({ min: -(10n ** 15n), max: 10n ** 15n }),
      fc.constantFrom('', 'm', 'k', 'M', 'G', 'Ki', 'Mi', 'Gi', 'Ti', 'n', 'e3'),
    )
    .map(([amount, suffix]) => Quantity.parse(`${amount}${suffix}`));

  it('parses what it formats', () => {
    fc.assert(
      fc.property(amounts, (a) => Quantity.parse(a.canonical()).equals(a) && Quantity.parse(a.toString()).equals(a)),
    );
  });

  it('adds and subtracts exactly, and compares consistently with subtraction', () => {
    fc.assert(
      fc.property(amounts, amounts, (a, b) => {
        expect(a.add(b).sub(b).equals(a)).toBe(true);
        expect(a.add(b).equals(b.add(a))).toBe(true);
        expect(Math.sign(a.compare(b))).toBe(a.sub(b).sign);
      }),
    );
  });
});
