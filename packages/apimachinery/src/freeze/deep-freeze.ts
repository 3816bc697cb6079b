/**
 * Freezes a value and everything below it, and returns it. Objects that are frozen already are not entered, so that
 * freezing twice costs nothing; a caller that shares frozen parts must have frozen them deeply.
 *
 * Works without recursion: nesting as deep as `JSON.parse` allows does not overflow the stack.
 */
export function deepFreeze<T>(value: T): T {
  const pending: unknown[] = [value];
  while (pending.length > 0) {
    const next = pending.pop();
    if (typeof next !== 'object' || next === null || Object.isFrozen(next) || ArrayBuffer.isView(next)) continue;
    Object.freeze(next);
    for (const child of Object.values(next)) pending.push(child);
  }
  return value;
}
