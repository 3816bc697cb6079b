/** Returns a deep copy of plain data, treating `__proto__` as an ordinary key. */
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

/** True for an object that is neither null nor an array. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
