import { type CelType, opaqueOf } from '../types/cel-type.ts';
import type { Meter } from '../values/equality.ts';
import { CelOpaque } from '../values/opaque.ts';

const unknown: CelType = opaqueOf('unknown');

/** JSON without a schema (`x-kubernetes-preserve-unknown-fields`): expressions can only compare it. */
export class PreservedValue extends CelOpaque {
  readonly type: CelType = unknown;
  readonly raw: unknown;

  constructor(raw: unknown) {
    super();
    this.raw = raw;
  }

  equals(other: unknown, meter: Meter): boolean {
    return other instanceof PreservedValue && meteredEqual(this.raw, other.raw, meter);
  }
}

/** True if two JSON values are equal. Charges each comparison to the meter, unlike `sameJson`. */
export function meteredEqual(a: unknown, b: unknown, meter: Meter): boolean {
  meter.charge(1);
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Array.isArray(a) || Array.isArray(b)) {
    return (
      Array.isArray(a) && Array.isArray(b) && a.length === b.length && a.every((x, i) => meteredEqual(x, b[i], meter))
    );
  }
  const keys = Object.keys(a);
  if (keys.length !== Object.keys(b).length) return false;
  return keys.every((key) => Object.hasOwn(b, key) && meteredEqual(Reflect.get(a, key), Reflect.get(b, key), meter));
}
