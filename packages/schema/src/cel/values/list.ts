import type { CelValue } from './value.ts';

/** A list that is not a plain array, because its elements are JSON that needs a schema to be read. */
export abstract class CelList {
  abstract readonly length: number;
  /** Returns the element at an index within bounds. */
  abstract at(index: number): CelValue;
  /** Returns all elements; repeated calls return the same array. */
  abstract toArray(): readonly CelValue[];
  /** Compares the lists without regard to order if the schema makes order irrelevant; returns undefined if order matters. */
  abstract equalsUnordered(
    other: readonly CelValue[],
    equal: (a: CelValue, b: CelValue) => boolean,
  ): boolean | undefined;
  /** Returns `this + other` if the schema defines it as a union or merge; undefined otherwise. */
  abstract union(other: readonly CelValue[]): readonly CelValue[] | CelList | undefined;
}

export function isList(value: CelValue | undefined): value is readonly CelValue[] | CelList {
  return Array.isArray(value) || value instanceof CelList;
}

/** Returns the list's elements. */
export function elements(list: readonly CelValue[] | CelList): readonly CelValue[] {
  return list instanceof CelList ? list.toArray() : list;
}

/** Returns the element at an index within bounds. */
export function elementAt(list: readonly CelValue[] | CelList, index: number): CelValue {
  return list instanceof CelList ? list.at(index) : list[index]!;
}
