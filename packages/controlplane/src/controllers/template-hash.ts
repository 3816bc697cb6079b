const alphabet = 'bcdfghjklmnpqrstvwxz2456789';

/**
 * A short name for a value: equal JSON (whatever the order of keys) gives equal text, of letters and digits that make no
 * words. FNV-32a as upstream's `ComputeHash`; upstream hashes Go's own print of the value, so the texts differ.
 */
export function shortHash(value: unknown, options: { readonly collisionCount?: number | undefined } = {}): string {
  const { collisionCount } = options;
  const text = canonicalJson(value) + (collisionCount === undefined ? '' : `\n${collisionCount}`);
  return safeEncode(String(fnv32a(new TextEncoder().encode(text))));
}

/** FNV-1a, 32 bits. */
export function fnv32a(bytes: Uint8Array): number {
  let hash = 0x811c9dc5;
  for (const byte of bytes) hash = Math.imul(hash ^ byte, 0x01000193) >>> 0;
  return hash;
}

/** Writes a text in letters and digits that cannot form words. Mirrors `rand.SafeEncodeString`. */
export function safeEncode(text: string): string {
  return [...text].map((character) => alphabet[character.charCodeAt(0) % alphabet.length]).join('');
}

/** JSON with keys in order; empty objects, empty lists and nulls in objects count as absent, as in Go's structs. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value ?? null);
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
