/**
 * Returns upstream's message for a strategic merge patch whose result does not fit its kind: the patch as Go prints a map, and
 * the error of the converter that reads such maps instead of JSON.
 *
 * @param detail - of the JSON decoder: `json: cannot unmarshal string into Go struct field … of type int32`
 */
export function strategicFault(patch: unknown, detail: string): { readonly shown: string; readonly detail: string } {
  const [, found = '', type = ''] = /cannot unmarshal (\S+) into .* of type (\S+)$/.exec(detail) ?? [];
  return { shown: goText(patch), detail: type === '' ? detail : complaint(found, type) };
}

function complaint(found: string, type: string): string {
  const from = { object: 'map', array: 'slice', number: 'int64' }[found] ?? found;
  if (type.startsWith('map[')) return `cannot restore map from ${from}`;
  if (type.startsWith('[]')) return `cannot restore slice from ${from}`;
  if (type.includes('.')) return `cannot restore struct from: ${from}`;
  return `unrecognized type: ${type}`;
}

/** Formats a value like Go's `%v`. */
export function goText(value: unknown): string {
  if (value === null) return '<nil>';
  if (Array.isArray(value)) return `[${value.map(goText).join(' ')}]`;
  if (typeof value !== 'object') return String(value);
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `map[${entries.map(([key, item]) => `${key}:${goText(item)}`).join(' ')}]`;
}
