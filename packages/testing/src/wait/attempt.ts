import { AssertionError } from 'node:assert';
import { inspect } from 'node:util';
import { isNotFound } from '@kubewright/apimachinery';
import { acceptsAbsence, type Matcher } from '../matchers/matcher.ts';

/** The outcome of one read and its comparison. */
export type Attempt<T> =
  | { readonly matched: true; readonly value: T }
  | { readonly matched: false; readonly value?: T; readonly error: unknown };

/** Reads once and compares the value. Never rejects: a failure counts as the reason for the mismatch. */
export async function attempt<T>(read: () => T | Promise<T>, matcher: Matcher<T>): Promise<Attempt<T>> {
  let value: T;
  try {
    value = await read();
  } catch (error) {
    if (!(acceptsAbsence in matcher) || !isNotFound(error)) return { matched: false, error };
    value = undefined as T; // the matcher accepts that
  }
  try {
    const verdict: unknown = await matcher(value);
    if (verdict === undefined || verdict) return { matched: true, value }; // An assertion returns undefined.
    const what = matcher.name === '' ? 'the matcher' : matcher.name;
    return { matched: false, value, error: new AssertionError({ message: `${what} returned ${inspect(verdict)}` }) };
  } catch (error) {
    return { matched: false, value, error };
  }
}
