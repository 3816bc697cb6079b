/**
 * Decodes the key of a user's extra values from a header's name, which is percent-encoded. As in upstream, a name that is not is
 * used unchanged.
 */
export function decodeExtraKey(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name; // not percent-encoded
  }
}
