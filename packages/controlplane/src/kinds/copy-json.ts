/** Copies plain JSON, so that a draft shares no parts with a stored object. */
export function copyJson<T>(value: T): T {
  return copy(value) as T;
}

function copy(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(copy);
  const target: Record<string, unknown> = {};
  for (const [key, item] of Object.entries(value)) {
    if (key === '__proto__')
      Object.defineProperty(target, key, { value: copy(item), enumerable: true, configurable: true, writable: true });
    else target[key] = copy(item);
  }
  return target;
}
