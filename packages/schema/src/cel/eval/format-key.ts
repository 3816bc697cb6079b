import { CelDouble } from '../values/double.ts';
import { CelUint } from '../values/uint.ts';
import type { CelValue } from '../values/value.ts';

/** A key or index as error messages show it. */
export function formatKey(key: CelValue): string {
  if (key instanceof CelUint || key instanceof CelDouble) return String(key.value);
  return String(key);
}
