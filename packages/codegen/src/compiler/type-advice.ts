/** Says what to write instead of a type that is no JSON. */
export function insteadOf(type: string): string {
  if (type === 'Date') return 'write string with the tag @dateTime';
  if (type === 'Quantity') return 'write string with the tag @quantity; new Quantity(text) computes with it';
  if (type === 'bigint') return 'write number with the tag @int64, or string for what a number cannot hold';
  if (type === 'Map' || type === 'ReadonlyMap') return 'write Readonly<Record<string, …>>';
  if (type === 'Set' || type === 'ReadonlySet') return 'write a list with the tag @listType set';
  if (type === 'Uint8Array' || type === 'Buffer') return 'write string with the tag @format byte: base64';
  if (type.includes('`')) return 'write string with the tag @pattern';
  return 'write a string, number, boolean, list, map, or an interface of those';
}
