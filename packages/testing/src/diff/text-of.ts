/** Formats a value as JSON with sorted keys, so that differences are easy to read. Leaves out undefined fields. */
export function textOf(value: unknown): string {
  if (value === undefined) return 'undefined';
  return JSON.stringify(value, (_key, part: unknown) => printable(part), 2);
}

function printable(part: unknown): unknown {
  if (part instanceof RegExp || typeof part === 'function') return String(part);
  if (typeof part === 'bigint') return String(part);
  if (typeof part !== 'object' || part === null || Array.isArray(part)) return part;
  // An asymmetric matcher of a test runner, such as expect.any(String).
  if ('asymmetricMatch' in part) return String(part);
  return Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)));
}
