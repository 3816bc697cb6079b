import { CelDouble } from '../values/double.ts';
import { CelUint } from '../values/uint.ts';
import type { CelValue } from '../values/value.ts';

/** Formats a key or index for error messages. */
export function formatKey(key: CelValue): string {
  if (key instanceof CelUint || key instanceof CelDouble) return String(key.value);
  return String(key);
}
