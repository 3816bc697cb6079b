/** True if the text is a valid name for a cluster. */
export function isClusterName(text: string): boolean {
  return /^[a-z0-9]([a-z0-9-]{0,48}[a-z0-9])?$/.test(text);
}
