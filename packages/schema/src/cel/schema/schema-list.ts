import { CelDouble } from '../values/double.ts';
import { CelList } from '../values/list.ts';
import { CelMap } from '../values/map.ts';
import type { CelValue } from '../values/value.ts';
import type { DeclType } from './decl-type.ts';
import { escapeProperty } from './escape.ts';

/** The parts of a list's schema that affect its CEL value. */
export interface ListTraits {
  readonly element: DeclType;
  readonly listType: 'atomic' | 'set' | 'map';
  readonly mapKeys: readonly string[];
}

/** A JSON list whose elements are converted with a schema on access. */
export class SchemaList extends CelList {
  readonly #raw: readonly unknown[];
  readonly #traits: ListTraits;
  #values: readonly CelValue[] | undefined;

  constructor(raw: readonly unknown[], traits: ListTraits) {
    super();
    this.#raw = raw;
    this.#traits = traits;
  }

  get length(): number {
    return this.#raw.length;
  }

  at(index: number): CelValue {
    return this.#values === undefined ? this.#traits.element.toValue(this.#raw[index]) : this.#values[index]!;
  }

  toArray(): readonly CelValue[] {
    this.#values ??= this.#raw.map((element) => this.#traits.element.toValue(element));
    return this.#values;
  }

  equalsUnordered(other: readonly CelValue[], equal: (a: CelValue, b: CelValue) => boolean): boolean | undefined {
    return unorderedEqual(this.toArray(), other, { traits: this.#traits, equal });
  }

  union(other: readonly CelValue[]): readonly CelValue[] | CelList | undefined {
    return unite(this.toArray(), other, this.#traits);
  }
}

/** The result of adding two lists of type `set` or `map`. Its elements are CEL values, not JSON. */
class UnitedList extends CelList {
  readonly #values: readonly CelValue[];
  readonly #traits: ListTraits;

  constructor(values: readonly CelValue[], traits: ListTraits) {
    super();
    this.#values = values;
    this.#traits = traits;
  }

  get length(): number {
    return this.#values.length;
  }

  at(index: number): CelValue {
    return this.#values[index]!;
  }

  toArray(): readonly CelValue[] {
    return this.#values;
  }

  equalsUnordered(other: readonly CelValue[], equal: (a: CelValue, b: CelValue) => boolean): boolean | undefined {
    return unorderedEqual(this.#values, other, { traits: this.#traits, equal });
  }

  union(other: readonly CelValue[]): CelList | undefined {
    return unite(this.#values, other, this.#traits);
  }
}

function unorderedEqual(
  mine: readonly CelValue[],
  other: readonly CelValue[],
  how: { readonly traits: ListTraits; readonly equal: (a: CelValue, b: CelValue) => boolean },
): boolean | undefined {
  const { traits, equal } = how;
  if (traits.listType === 'atomic') return undefined;
  const byKey = new Map(mine.map((value) => [keyOf(value, traits), value]));
  return other.every((value) => {
    const key = keyOf(value, traits);
    if (!byKey.has(key)) return false;
    return traits.listType === 'set' || equal(byKey.get(key)!, value);
  });
}

/** Adds two lists of type `set` or `map`. An element of `other` replaces the element with the same key, or is appended. */
function unite(mine: readonly CelValue[], other: readonly CelValue[], traits: ListTraits): CelList | undefined {
  if (traits.listType === 'atomic') return undefined;
  const united = [...mine];
  const places = new Map(mine.map((value, i) => [keyOf(value, traits), i]));
  for (const value of other) {
    const key = keyOf(value, traits);
    const place = places.get(key);
    if (place === undefined) {
      places.set(key, united.length);
      united.push(value);
    } else if (traits.listType === 'map') {
      united[place] = value;
    }
  }
  return new UnitedList(united, traits);
}

function keyOf(value: CelValue, traits: ListTraits): string {
  if (traits.listType === 'set' || !(value instanceof CelMap)) return scalarKey(value);
  return JSON.stringify(traits.mapKeys.map((key) => scalarKey(value.get(escapeProperty(key) ?? key))));
}

function scalarKey(value: CelValue | undefined): string {
  if (value instanceof CelDouble) return `double ${value.value}`;
  return `${typeof value} ${String(value)}`;
}
