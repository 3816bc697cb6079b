import type { CelValue } from './value.ts';

/** A list that is no plain array: JSON whose elements need a schema to be read. */
export abstract class CelList {
  abstract readonly length: number;
  /** The element at an index within bounds. */
  abstract at(index: number): CelValue;
  /** All elements; repeated calls give the same array. */
  abstract toArray(): readonly CelValue[];
  /** Equality, where the schema says that order does not count; undefined where it does. */
  abstract equalsUnordered(
    other: readonly CelValue[],
    equal: (a: CelValue, b: CelValue) => boolean,
  ): boolean | undefined;
  /** `this + other`, where the schema says that it is a union or merge; undefined where it is none. */
  abstract union(other: readonly CelValue[]): readonly CelValue[] | CelList | undefined;
}

export function isList(value: CelValue | undefined): value is readonly CelValue[] | CelList {
  return Array.isArray(value) || value instanceof CelList;
}

/** The list's elements. */
export function elements(list: readonly CelValue[] | CelList): readonly CelValue[] {
  return list instanceof CelList ? list.toArray() : list;
}

/** The element at an index within bounds. */
export function elementAt(list: readonly CelValue[] | CelList, index: number): CelValue {
  return list instanceof CelList ? list.at(index) : list[index]!;
}
