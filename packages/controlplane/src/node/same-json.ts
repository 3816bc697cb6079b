/** Compares two values as JSON. The order of keys and absent fields do not matter. */
export function sameJson(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Array.isArray(a) || Array.isArray(b)) {
    return (
      Array.isArray(a) &&
      Array.isArray(b) &&
      a.length === b.length &&
      a.every((value, index) => sameJson(value, b[index]))
    );
  }
  const keysOf = (value: object): readonly string[] =>
    Object.keys(value).filter((key) => (value as Readonly<Record<string, unknown>>)[key] !== undefined);
  const keys = keysOf(a);
  return (
    keys.length === keysOf(b).length &&
    keys.every(
      (key) =>
        Object.hasOwn(b, key) &&
        sameJson((a as Readonly<Record<string, unknown>>)[key], (b as Readonly<Record<string, unknown>>)[key]),
    )
  );
}
