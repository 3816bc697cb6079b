import { CidrValue, IpValue } from '../library/ip-value.ts';
import { isList } from '../values/list.ts';
import { CelMap } from '../values/map.ts';
import { CelOptional } from '../values/optional.ts';
import { codePointLength } from '../values/text.ts';
import type { CelValue } from '../values/value.ts';

/** Returns the size of a value, on which upstream's run-time costs are based; 1 for values without a size. */
export function actualSize(value: CelValue): number {
  if (typeof value === 'string') return codePointLength(value);
  if (typeof value !== 'object' || value === null) return 1;
  if (isList(value) || value instanceof Uint8Array) return value.length;
  if (value instanceof CelMap) return value.size;
  if (value instanceof CelOptional) return value.value === undefined ? 1 : actualSize(value.value);
  if (value instanceof IpValue) return value.width / 8;
  return value instanceof CidrValue ? Math.ceil(value.length / 8) : 1;
}
