/**
 * Compares two resource versions of one resource: negative, zero or positive; `undefined` if they cannot be compared.
 *
 * Versions are decimal integers without leading zeros, so the longer one is greater, and versions of equal length compare as
 * text. Mirrors `k8s.io/apimachinery/pkg/util/resourceversion` (1.36). Versions of any other form cannot be compared;
 * in that case, callers read the object from the API server.
 */
export function compareResourceVersions(a: string, b: string): number | undefined {
  if (!isDecimal(a) || !isDecimal(b)) return undefined;
  if (a.length !== b.length) return a.length - b.length;
  return a < b ? -1 : a > b ? 1 : 0;
}

function isDecimal(text: string): boolean {
  return /^(0|[1-9][0-9]*)$/.test(text);
}
