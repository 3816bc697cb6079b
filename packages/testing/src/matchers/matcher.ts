import { AssertionError } from 'node:assert';
import { lineDiff } from '../diff/line-diff.ts';
import { textOf } from '../diff/text-of.ts';

/**
 * Checks a value. Throws or returns `false` if the value does not match; any other result is a match. Functions of this package, a
 * block with a test runner's `expect`, and a plain condition are therefore all matchers.
 *
 * @example
 * ```ts
 * const isRunning: Matcher<Stored<Pod>> = ({ status }) => status?.phase === 'Running';
 * await eventually(() => client.resource(Pod).get({ name: 'web-0' }), isRunning);
 * ```
 */
export type Matcher<T> = ((value: T) => unknown) & { readonly [acceptsAbsence]?: true };

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
