import { fail, type Matcher, titleOf } from './matcher.ts';

/**
 * Matches objects that have at least the expected fields. Lists must have the same length. A regular expression matches text, and
 * matchers such as `expect.any(String)` of a test runner work in any place.
 *
 * @throws AssertionError with the difference, in the expected fields only
 *
 * @example
 * ```ts
 * await eventually(() => client.resource(ConfigMap).get({ name: 'settings' }), toMatch({ data: { mode: 'dark' } }));
 * ```
 */
export function toMatch<T = unknown>(expected: unknown): Matcher<T> {
  return (actual) => {
    if (matches(expected, actual)) return;
    fail(`${titleOf(actual)} does not match`, { expected, actual: restricted(actual, expected) });
  };
}

/** True if `actual` has at least the fields of `expected`. */
export function matches(expected: unknown, actual: unknown): boolean {
  if (isAsymmetric(expected)) return expected.asymmetricMatch(actual);
  if (expected instanceof RegExp) return typeof actual === 'string' && expected.test(actual);
  if (Array.isArray(expected)) {
    return (
      Array.isArray(actual) &&
      actual.length === expected.length &&
      expected.every((item, index) => matches(item, actual[index]))
    );
  }
  if (!isRecord(expected)) return Object.is(expected, actual);
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

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof RegExp);
}

function isAsymmetric(value: unknown): value is { asymmetricMatch(actual: unknown): boolean } {
  return typeof value === 'object' && value !== null && 'asymmetricMatch' in value;
}
