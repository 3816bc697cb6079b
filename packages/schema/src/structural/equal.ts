/** True if plain data is deeply equal. Key order does not matter. */
export function deepEqual(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Array.isArray(a)) {
    if (!Array.isArray(b) || a.length !== b.length) return false;
    for (let i = 0; i < a.length; i++) if (!deepEqual(a[i], b[i])) return false;
    return true;
  }
  if (Array.isArray(b)) return false;
  const left = a as Record<string, unknown>; // objects that are not lists
  const right = b as Record<string, unknown>;
  const keys = Object.keys(left);
  if (keys.length !== Object.keys(right).length) return false;
  for (const key of keys) if (!Object.hasOwn(right, key) || !deepEqual(left[key], right[key])) return false;
  return true;
}

/** Copies plain data; `__proto__` stays a key. */
export function deepCopy(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(deepCopy);
  const copy: Record<string, unknown> = { ...value };
  for (const key of Object.keys(copy)) {
    const item = copy[key];
    if (typeof item === 'object' && item !== null) copy[key] = copyInto(copy, key, item);
  }
  return copy;
}

function copyInto(owner: Record<string, unknown>, key: string, item: object): unknown {
  const copy = deepCopy(item);
  if (key === '__proto__') {
    Object.defineProperty(owner, key, { value: copy, writable: true, enumerable: true, configurable: true });
    return owner[key];
  }
  return copy;
}

/** True for a plain object that is not a list. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
