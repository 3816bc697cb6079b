import type { CelValue } from './value.ts';

/** A list that is not a plain array, for example because reading its JSON elements requires a schema. */
export abstract class CelList {
  abstract readonly length: number;
  /** Returns the element at an index within bounds. */
  abstract at(index: number): CelValue;
  /** Returns all elements; repeated calls return the same array. */
  abstract toArray(): readonly CelValue[];
  /**
   * Compares the lists in any order if the schema makes the order irrelevant; returns undefined if the order matters.
   */
  abstract equalsUnordered(
    other: readonly CelValue[],
    equal: (a: CelValue, b: CelValue) => boolean,
  ): boolean | undefined;
  /** Returns `this + other` if the schema defines the sum as a union or merge; undefined otherwise. */
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
