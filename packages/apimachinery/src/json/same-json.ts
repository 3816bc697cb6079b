import type { JsonObject } from './json-object.ts';
/**
 * True if two values are equal as JSON: the order of fields does not matter, the order of elements does, and undefined fields
 * count as absent.
 */
export function sameJson(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Array.isArray(a)) return Array.isArray(b) && sameElements(a, b);
  return !Array.isArray(b) && sameFields(a as JsonObject, b as JsonObject); // plain objects
}

function sameElements(a: readonly unknown[], b: readonly unknown[]): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (!sameJson(a[i], b[i])) return false;
  return true;
}

function sameFields(a: JsonObject, b: JsonObject): boolean {
  const theirs = Object.keys(b);
  let found = 0;
  for (const key of Object.keys(a)) {
    const value = a[key];
    if (value === undefined) continue;
    if (!Object.hasOwn(b, key) || !sameJson(value, b[key])) return false;
    found++;
  }
  if (found === theirs.length) return true;
  for (const key of theirs) if (b[key] !== undefined) found--;
  return found === 0;
}
