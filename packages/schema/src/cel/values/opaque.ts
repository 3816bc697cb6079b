import type { CelType } from '../types/cel-type.ts';
import type { Meter } from './equality.ts';
import type { CelValue } from './value.ts';

/** A value of a type that a library adds (`net.IP`, `kubernetes.Quantity`, …). */
export abstract class CelOpaque {
  abstract readonly type: CelType;
  /** True if the values are equal. Only called with a value of the same type. */
  abstract equals(other: CelValue, meter: Meter): boolean;
}
