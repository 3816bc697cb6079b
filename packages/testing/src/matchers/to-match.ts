import { isDeepStrictEqual } from 'node:util';
import { fail, titleOf } from './matcher.ts';

/**
 * The argument of {@link toMatch} for values of type `T`: any of their fields, regular expressions instead of text, and in any
 * position a matcher of a test runner, such as `expect.any(String)`.
 *
 * @example
 * ```ts
 * const expected: Expected<ConfigMap> = { metadata: { name: /^settings-/ }, data: { mode: 'dark' } };
 * const isDark: Matcher<ConfigMap> = toMatch<ConfigMap>(expected);
 * ```
 */
export type Expected<T> = unknown extends T
  ? unknown
  :
      | { asymmetricMatch(actual: unknown): boolean }
      | (T extends string
          ? T | RegExp
          : T extends readonly (infer Item)[]
            ? readonly Expected<Item>[]
            : T extends object
              ? { readonly [Name in keyof T]?: Expected<T[Name]> | undefined }
              : T);

/**
 * Matches objects that have at least the expected fields. Lists must have the same length. A regular expression matches
 * text, and matchers of a test runner, such as `expect.any(String)`, work in any position. A field that is expected to
 * be undefined must be absent.
 *
 * As an argument of {@link eventually}, the matcher accepts only fields of the value that is read. For a value whose
 * type does not list its fields, write `toMatch<unknown>(…)`.
 *
 * @throws AssertionError with the difference, in the expected fields only
 *
 * @example
 * ```ts
 * await eventually(() => client.resource(ConfigMap).get({ name: 'settings' }), toMatch({ data: { mode: 'dark' } }));
 * ```
 */
export function toMatch<T = unknown>(expected: NoInfer<Expected<T>>): (actual: T) => void {
  return (actual) => {
    if (matches(expected, actual)) return;
    fail(`${titleOf(actual)} does not match`, { expected, actual: restricted(actual, expected) });
  };
}

/** True if `actual` has at least the fields of `expected`. */
export function matches(expected: unknown, actual: unknown): boolean {
  if (isAsymmetric(expected)) return expected.asymmetricMatch(actual);
  // Unlike `test`, `search` does not depend on the last match of a global expression.
  if (expected instanceof RegExp) return typeof actual === 'string' && actual.search(expected) >= 0;
  if (Array.isArray(expected)) {
    return (
      Array.isArray(actual) &&
      actual.length === expected.length &&
      expected.every((item, index) => matches(item, actual[index]))
    );
  }
  if (!isRecord(expected)) return isDeepStrictEqual(expected, actual);
  return isRecord(actual) && Object.entries(expected).every(([name, value]) => matches(value, actual[name]));
}

/** Returns the part of `actual` that is compared with `expected`. Replaces matching parts with the expected parts. */
function restricted(actual: unknown, expected: unknown): unknown {
  if (matches(expected, actual)) return expected;
  if (Array.isArray(expected) && Array.isArray(actual)) {
    return actual.map((item, index) => (index < expected.length ? restricted(item, expected[index]) : item));
  }
  if (!isRecord(expected) || isAsymmetric(expected) || !isRecord(actual)) return actual;
  const fields = Object.keys(expected).filter((name) => actual[name] !== undefined);
  return Object.fromEntries(fields.map((name) => [name, restricted(actual[name], expected[name])]));
}

/** True for objects that consist only of their fields, unlike a Date or a Map. */
function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return Object.prototype.toString.call(value) === '[object Object]';
}

function isAsymmetric(value: unknown): value is { asymmetricMatch(actual: unknown): boolean } {
  return typeof value === 'object' && value !== null && 'asymmetricMatch' in value;
}
