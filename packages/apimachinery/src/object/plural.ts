/**
 * Returns the plural resource name of a kind, as scaffolding tools derive it: `Policy` → `policies`, `Ingress` →
 * `ingresses`.
 */
export function pluralOf(kind: string): string {
  const word = kind.toLowerCase();
  if (/(s|x|z|ch|sh)$/.test(word)) return `${word}es`;
  if (/[^aeiou]y$/.test(word)) return `${word.slice(0, -1)}ies`;
  return `${word}s`;
}
