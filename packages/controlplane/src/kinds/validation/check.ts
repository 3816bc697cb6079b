import {
  duplicateField,
  type FieldError,
  FieldPath,
  invalidField,
  requiredField,
  unsupportedField,
} from '@kubewright/apimachinery';
import { isEmptyMap } from '../wire/empty-fields.ts';
import { isMapField } from '../wire/map-fields.ts';

/** A validation rule: returns the errors of the value at `path`. */
export type Check<T> = (value: T | undefined, path: FieldPath) => readonly FieldError[];

/** Rules for the fields of a structure, in the order in which their errors are reported. */
export type FieldChecks<T> = { readonly [Name in keyof T]?: Check<NonNullable<T[Name]>> };

const none: readonly FieldError[] = [];

/** True for values that Go considers empty: nil, `''`, `0`, an empty list or map. */
export function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null || value === '' || value === 0) return true;
  return typeof value === 'object' && Object.keys(value).length === 0;
}

/** Applies rules to the fields of a structure. */
export function fields<T extends object>(checks: FieldChecks<T>): Check<T> {
  const entries = Object.entries(checks) as [keyof T & string, Check<unknown>][];
  return (value, path) => {
    if (value === undefined || value === null) return none;
    return entries.flatMap(([name, check]) => check(value[name] ?? undefined, path.child(name)));
  };
}

/** Applies rules to the root fields of an object. */
export function objectFields<T extends object>(checks: FieldChecks<T>): (object: T) => readonly FieldError[] {
  const entries = Object.entries(checks) as [keyof T & string, Check<unknown>][];
  return (object) => entries.flatMap(([name, check]) => check(object[name] ?? undefined, FieldPath.of(name)));
}

/** Applies several rules in order. */
export function all<T>(...checks: readonly Check<T>[]): Check<T> {
  return (value, path) => checks.flatMap((check) => check(value, path));
}

/** Applies a rule to each element of a list. */
export function each<T>(check: Check<T>): Check<readonly T[]> {
  return (list, path) => (list ?? []).flatMap((item, index) => check(item, path.index(index)));
}

/** Rejects an empty value; otherwise applies another rule. */
export function required<T>(next?: Check<T>, detail = ''): Check<T> {
  return (value, path) => (isEmpty(value) ? [requiredField(path, detail)] : (next?.(value, path) ?? none));
}

/** Applies a rule unless the value is empty. */
export function optional<T>(check: Check<T>): Check<T> {
  return (value, path) => (isEmpty(value) ? none : check(value, path));
}

/** Applies a rule unless the value is absent: `0` and `''` are checked. */
export function present<T>(check: Check<T>): Check<T> {
  return (value, path) => (value === undefined || value === null ? none : check(value, path));
}

/** Accepts only the given strings. */
export function enumOf(...values: readonly string[]): Check<string> {
  return (value, path) =>
    value !== undefined && values.includes(value) ? none : [unsupportedField(path, value ?? '', values)];
}

/** Turns a function that returns error messages for a string into a rule. */
export function textRule(check: (text: string) => readonly string[]): Check<string> {
  return (value, path) => check(value ?? '').map((detail) => invalidField(path, value ?? '', detail));
}

/** Creates a rule from a condition and the error message for values that do not meet it. */
export function rule<T>(holds: (value: T) => boolean, detail: string): Check<T> {
  return (value, path) => (value === undefined || holds(value) ? none : [invalidField(path, value, detail)]);
}

/** Rejects negative numbers. */
export const nonNegative: Check<number> = rule((value) => value >= 0, 'must be greater than or equal to 0');

/** Accepts numbers in a range. */
export function between(min: number, max: number): Check<number> {
  return rule((value) => value >= min && value <= max, `must be between ${min} and ${max}, inclusive`);
}

/** Rejects elements whose `key` occurred before. Elements without a key may repeat. The error is reported at `at`. */
export function unique<T>(
  key: (item: T) => string | undefined,
  at: (path: FieldPath) => FieldPath = (path) => path,
): Check<readonly T[]> {
  return (list, path) => {
    const seen = new Set<string>();
    return (list ?? []).flatMap((item, index) => {
      const value = key(item);
      if (value === undefined) return none;
      if (seen.has(value)) return [duplicateField(at(path.index(index)), value)];
      seen.add(value);
      return none;
    });
  };
}

/** Rejects a value that differs from the stored value. */
export function immutable(
  now: unknown,
  change: {
    readonly old: unknown;
    readonly path: FieldPath;
    readonly detail?: string;
    /** The value as Go prints it: Go field names, zero values for absent fields. @defaultValue the value itself */
    readonly shown?: unknown;
  },
): readonly FieldError[] {
  if (semanticEqual(now, change.old)) return none;
  return [invalidField(change.path, change.shown ?? now ?? null, change.detail ?? 'field is immutable')];
}

/** Like {@link immutable}, for a pointer to a structure: an empty structure differs from an absent structure. */
export function immutablePointer(now: unknown, change: Parameters<typeof immutable>[1]): readonly FieldError[] {
  return immutable(now && [now], { ...change, old: change.old && [change.old], shown: change.shown ?? now ?? null });
}

/**
 * Compares like upstream's `Semantic.DeepEqual`: an empty list or map equals an absent list or map, and the order of keys does
 * not matter. An empty structure differs from an absent structure.
 */
export function semanticEqual(a: unknown, b: unknown, name?: string): boolean {
  if (a === b || (isEmptyContainer(a) && isEmptyContainer(b))) {
    return a === b || name === undefined || isMapField(name) || isStructure(a) === isStructure(b);
  }
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const keys = new Set([...Object.keys(a), ...Object.keys(b)]);
  for (const key of keys) {
    if (!semanticEqual((a as Record<string, unknown>)[key], (b as Record<string, unknown>)[key], key)) return false;
  }
  return true;
}

function isStructure(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !isEmptyMap(value);
}

function isEmptyContainer(value: unknown): boolean {
  return value === undefined || value === null || (typeof value === 'object' && Object.keys(value).length === 0);
}
