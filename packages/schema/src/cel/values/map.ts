import { CelDouble } from './double.ts';
import type { Meter } from './equality.ts';
import { intFromBigInt } from './int.ts';
import { CelUint } from './uint.ts';
import type { CelValue } from './value.ts';

/** A map or a structure. Keys keep their order. */
export abstract class CelMap {
  abstract readonly size: number;
  /**
   * Returns the value of a key; undefined if the key is absent. Numeric keys match by value, even if their types
   * differ.
   */
  abstract get(key: CelValue): CelValue | undefined;
  abstract keys(): readonly CelValue[];

  /** Compares the members that expressions cannot access. */
  undeclaredEqual(_other: CelMap, _meter: Meter): boolean {
    return true;
  }
}

/**
 * Converts a key to a form that is the same for equal numbers of different types. Returns undefined for values that
 * cannot be keys.
 */
function lookupKey(key: CelValue): string | number | bigint | boolean | undefined {
  switch (typeof key) {
    case 'string':
    case 'number':
    case 'bigint':
    case 'boolean':
      return key;
    default:
      if (key instanceof CelUint) return key.value <= 9007199254740991n ? Number(key.value) : key.value;
      if (key instanceof CelDouble && Number.isInteger(key.value))
        return intFromBigInt(BigInt(key.value)) ?? BigInt(key.value);
      return undefined;
  }
}

/** A map that an expression created or that was passed as a variable. */
export class EntryMap extends CelMap {
  readonly #entries: ReadonlyMap<string | number | bigint | boolean, readonly [CelValue, CelValue]>;

  constructor(entries: Iterable<readonly [CelValue, CelValue]>) {
    super();
    const map = new Map<string | number | bigint | boolean, readonly [CelValue, CelValue]>();
    for (const entry of entries) {
      const key = lookupKey(entry[0]);
      if (key !== undefined) map.set(key, entry);
    }
    this.#entries = map;
  }

  get size(): number {
    return this.#entries.size;
  }

  get(key: CelValue): CelValue | undefined {
    const found = lookupKey(key);
    return found === undefined ? undefined : this.#entries.get(found)?.[1];
  }

  keys(): readonly CelValue[] {
    return Array.from(this.#entries.values(), ([key]) => key);
  }
}

/** A map under construction. */
export class MapBuilder {
  readonly #entries: (readonly [CelValue, CelValue])[] = [];
  readonly #keys = new Set<string | number | bigint | boolean>();

  /** Adds an entry and reports the outcome. */
  add(key: CelValue, value: CelValue): 'added' | 'unsupported' | 'repeated' {
    const found = key instanceof CelDouble ? undefined : lookupKey(key);
    if (found === undefined) return 'unsupported';
    if (this.#keys.has(found)) return 'repeated';
    this.#keys.add(found);
    this.#entries.push([key, value]);
    return 'added';
  }

  build(): CelMap {
    return new EntryMap(this.#entries);
  }
}
