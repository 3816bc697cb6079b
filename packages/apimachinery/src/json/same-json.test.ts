import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sameJson } from './same-json.ts';

/** Sorts the fields of objects, so that their JSON can be compared as strings. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, each]) => [key, sorted(each)]),
  );
}

describe('sameJson', () => {
  it.each([
    [
      { a: 1, b: [2, { c: 'x' }] },
      { b: [2, { c: 'x' }], a: 1 },
    ],
    [{ a: 1, b: undefined }, { a: 1 }],
    [{ a: 1 }, { b: undefined, a: 1 }],
    [{ a: undefined, c: undefined }, { b: undefined }],
    [null, null],
  ])('finds %j equal to %j', (a, b) => {
    expect(sameJson(a, b)).toBe(true);
    expect(sameJson(b, a)).toBe(true);
  });

  it.each([
    [{ a: 1 }, { a: 1, b: null }],
    [
      { a: undefined, b: 1 },
      { a: 1, b: undefined },
    ],
    [{ a: undefined }, { constructor: Object }],
    [
      [1, 2],
      [2, 1],
    ],
    [[], {}],
    [null, {}],
    ['1', 1],
    [{ toString: 1 }, {}],
  ])('finds %j different from %j', (a, b) => {
    expect(sameJson(a, b)).toBe(false);
    expect(sameJson(b, a)).toBe(false);
  });

  it('agrees with a comparison of the sorted JSON texts of any two values', () => {
    const near = fc
      .jsonValue({ maxDepth: 3 })
      .chain((value) =>
        fc.tuple(fc.constant(value), fc.oneof(fc.constant(structuredClone(value)), fc.jsonValue({ maxDepth: 3 }))),
      );
    fc.assert(
      fc.property(near, ([a, b]) => {
        // Serialize both values first, because JSON does not distinguish -0 from 0.
        const [left, right] = [a, b].map((each) => JSON.stringify(sorted(each)));
        expect(sameJson(JSON.parse(JSON.stringify(a)), JSON.parse(JSON.stringify(b)))).toBe(left === right);
      }),
    );
  });
});
