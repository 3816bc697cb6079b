import { AssertionError } from 'node:assert';
import { acceptsAbsence, titleOf } from './matcher.ts';

/**
 * Matches an object that does not exist: a read that fails with NotFound, `undefined`, or an empty list.
 *
 * @example
 * ```ts
 * await eventually(() => client.resource(ConfigMap).get({ name: 'settings' }), toBeAbsent());
 * ```
 */
export function toBeAbsent<T>(): (value: T) => void {
  const check = (value: T): void => {
    const items = Array.isArray(value) ? value : (value as { readonly items?: unknown } | undefined)?.items;
    const found = Array.isArray(items) ? items : [value].filter((each) => each !== undefined);
    if (found.length === 0) return;
    throw new AssertionError({ message: `still exists: ${found.map(titleOf).join(', ')}` });
  };
  return Object.assign(check, { [acceptsAbsence]: true as const });
}
