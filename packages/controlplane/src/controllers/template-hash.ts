import { stringifyJson } from '@kubewright/apimachinery/internal';

const alphabet = 'bcdfghjklmnpqrstvwxz2456789';

/**
 * Returns a short hash of a value. The order of keys does not matter. The characters are chosen so that they cannot form words.
 * Uses FNV-32a like upstream's `ComputeHash`, but hashes canonical JSON instead of Go's print format, so the hashes differ from
 * upstream's.
 */
export function shortHash(value: unknown, options: { readonly collisionCount?: number | undefined } = {}): string {
  const { collisionCount } = options;
  const text = canonicalJson(value) + (collisionCount === undefined ? '' : `\n${collisionCount}`);
  return safeEncode(String(fnv32a(new TextEncoder().encode(text))));
}

/** Returns the 32-bit FNV-1a hash. */
export function fnv32a(bytes: Uint8Array): number {
  let hash = 0x811c9dc5;
  for (const byte of bytes) hash = Math.imul(hash ^ byte, 0x01000193) >>> 0;
  return hash;
}

/** Encodes a string in letters and digits that cannot form words. Mirrors `rand.SafeEncodeString`. */
export function safeEncode(text: string): string {
  return [...text].map((character) => alphabet[character.charCodeAt(0) % alphabet.length]).join('');
}

/** Returns JSON with sorted keys. Members that are null, undefined or an empty list are left out, as in Go's structs. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (typeof value !== 'object' || value === null) return stringifyJson(value ?? null);
  const parts = Object.entries(value)
    .filter(([, member]) => !isEmpty(member))
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, member]) => `${JSON.stringify(key)}:${canonicalJson(member)}`);
  return `{${parts.join(',')}}`;
}

function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null) return true;
  return Array.isArray(value) && value.length === 0;
}
