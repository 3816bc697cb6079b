import { AssertionError } from 'node:assert';
import { lineDiff } from '../diff/line-diff.ts';
import { textOf } from '../diff/text-of.ts';

/**
 * Checks a value: a condition that returns true or false, or an assertion that throws and returns nothing. The
 * functions of this package and a test runner's `expect` are assertions. Both kinds can be asynchronous.
 *
 * `undefined` is the result of an assertion, so at run time it is a match; every other falsy result is a mismatch. The
 * type therefore rejects a condition that can be undefined, such as `status?.conditions?.some(isReady)`. Compare its
 * result instead: `… === true`.
 *
 * @example
 * ```ts
 * const isRunning: Matcher<Stored<Pod>> = ({ status }) => status?.phase === 'Running';
 * await eventually(() => client.resource(Pod).get({ name: 'web-0' }), isRunning);
 * ```
 */
export type Matcher<T> =
  | ((value: T) => boolean | Promise<boolean>)
  // `void` alone would accept too much: TypeScript assigns a function with any result to a function that returns `void`.
  | ((value: T) => void | Promise<void>);

/** Marks matchers that expect `undefined` for an object that does not exist. */
export const acceptsAbsence: unique symbol = Symbol('accepts absence');

/** Throws an error whose message shows the difference between the expected and the actual value. */
export function fail(
  what: string,
  { expected, actual }: { readonly expected: unknown; readonly actual: unknown },
): never {
  const [wanted, found] = [textOf(expected), textOf(actual)];
  const diff = lineDiff(wanted, found);
  throw new AssertionError({ message: `${what} (- expected, + actual)\n\n${diff}\n` });
}

/** Names an object as `Shop shop/one`. */
export function titleOf(value: unknown): string {
  const { kind = 'object', metadata } = (value ?? {}) as {
    readonly kind?: string;
    readonly metadata?: { readonly namespace?: string; readonly name?: string };
  };
  const { namespace, name } = metadata ?? {};
  return [kind, [namespace, name].filter(Boolean).join('/')].filter(Boolean).join(' ');
}
