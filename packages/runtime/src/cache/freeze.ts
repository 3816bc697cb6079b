/** Freezes a value and all it holds; without recursion, for an answer may be nested deeper than the stack. */
export function deepFreeze<T>(value: T): T {
  const open: unknown[] = [value];
  while (open.length > 0) {
    const next = open.pop();
    if (typeof next !== 'object' || next === null || Object.isFrozen(next)) continue;
    for (const member of Object.values(next)) if (typeof member === 'object' && member !== null) open.push(member);
    Object.freeze(next);
  }
  return value;
}
