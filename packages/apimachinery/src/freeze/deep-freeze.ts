/**
 * Freezes a value and everything below it, and returns it. Does not descend into frozen objects, so freezing a value twice is
 * cheap; everything below a frozen part must already be frozen.
 *
 * Does not recurse, so deeply nested values do not overflow the stack.
 */
export function deepFreeze<T>(value: T): T {
  const pending: object[] = isObject(value) ? [value] : [];
  for (let next = pending.pop(); next; next = pending.pop()) {
    if (Object.isFrozen(next) || ArrayBuffer.isView(next)) continue;
    // Loops by index and by key, because allocating an array of values for each object was half the cost of freezing.
    if (Array.isArray(next)) {
      for (let i = 0; i < next.length; i++) if (isObject(next[i])) pending.push(next[i]);
    } else {
      for (const key in next) {
        const child: unknown = (next as Readonly<Record<string, unknown>>)[key];
        if (isObject(child)) pending.push(child);
      }
    }
    Object.freeze(next);
  }
  return value;
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
